import Foundation
import IdentityKit
import IdentityLocalServers
import IdentityTesting
import IdentityTool
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A provider type of an app, which says of itself what the tool has to know.
private enum HarborPlugin: ProviderPlugin {
    static let type = "harbor"

    struct Settings: Decodable, Sendable {
        let server: URL
        let berth: String
        let tide: String?
        let flag: String
        let signals: String?
    }

    static func makeProvider(settings: Settings, context: ProviderContext) -> any IdentityProvider {
        HarborProvider(settings: settings, context: context)
    }

    static var setup: PluginSetup {
        let plan = PublishedDocument.below("/harbor.json")
        return PluginSetup(
            otherNames: ["marina"], addressSetting: "server", published: [plan],
            recognize: { documents in
                documents[plan]?["berths"] == nil ? nil : Recognition(["server": .string(documents.base)])
            },
            questions: [
                SettingQuestion("berth", "The ship's berth, as the office gave it."),
                SettingQuestion("tide", "The tide.", standard: .settings([:], called: "any")),
            ],
            completedForTerminal: { settings in settings.merging(["flag": "white"]) { given, _ in given } },
            settingsForSignIn: { signIn in signIn == .onAnotherDevice ? ["signals": "lamp"] : nil },
            refusals: ["berth_taken"], otherModules: ["Harbor", "HarborOffice"])
    }
}

private struct HarborProvider: SessionProvider, ServerExamining {
    let settings: HarborPlugin.Settings
    let context: ProviderContext

    private var hasSignals: Bool { settings.signals != nil }

    var realms: Set<String> { [context.name] }
    var signInForm: SignInForm? { hasSignals ? .otherDevice : .questions }

    func silentAccount(in context: CallerContext) async throws -> AccountLookup {
        .absent(.neverSignedIn)
    }

    func signIn(in context: CallerContext) async throws -> AccountID? {
        guard hasSignals else { throw BerthTaken() }
        return AccountID(account: settings.berth, realm: self.context.name)
    }

    func requestAuthorization(
        for accountID: AccountID, scopes: Set<String>, deviceToken: String
    ) async throws -> Data? { nil }

    func accessToken(for accountID: AccountID, scopes: Set<String>) async throws -> String { "a-token" }

    func signOut(_ accountID: AccountID) async throws {}

    func examineServer() async throws -> ExaminedServer? {
        let url = settings.server.appendingPathComponent("harbor.json")
        _ = try await context.environment.transport.data(for: URLRequest(url: url))
        return ExaminedServer(address: settings.server.absoluteString)
    }
}

private struct BerthTaken: IdentityFailure {
    let failureCode = "berth_taken"
    let failureClass = FailureClass.definitive
    let message = "The berth is taken."
}

/// A provider type that an app adds, in every place where the tool knows something of a type.
@Suite(.endsInTime) struct AddedTypeTests {
    /// What the commands of a test share.
    private struct Place {
        let server: LocalHTTPServer
        let folder: TemporaryFolder

        var address: String { server.url.absoluteString }
        var file: URL { folder.file("identity.json") }
        var environment: [String: String] {
            ["HOME": folder.url.path, "IDENTITY_CONFIG": file.path, "COLUMNS": "80", "NO_COLOR": "1"]
        }

        func run(_ arguments: String..., knowsHarbor: Bool = true) async throws -> ToolProcess.Result {
            try await Tool.run(arguments, environment: environment, adding: knowsHarbor ? [HarborPlugin.self] : [])
        }

        /// The words that a person sees who gives `answers`.
        func shown(_ arguments: String..., answering answers: [String]) async -> (isDone: Bool, text: String) {
            let (shown, unread) = (Locked(""), Locked(answers))
            let context = ToolContext(
                environment: environment, folder: folder.url,
                input: ToolContext.Input(isTerminal: true) {
                    shown.withLock { $0 += "\n" }
                    return unread.withLock { $0.isEmpty ? Data() : Data(($0.removeFirst() + "\n").utf8) }
                },
                output: ToolContext.Output { _ in },
                errors: ToolContext.Output { bytes in shown.withLock { $0 += String(decoding: bytes, as: UTF8.self) } },
                patience: Patience.limit)
            let status = await IdentityTool.run(arguments, in: context, adding: [HarborPlugin.self])
            return (
                status == .success, shown.withLock { $0 }.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            )
        }

        func providers() throws -> [ProviderConfiguration] { try IdentityConfiguration(contentsOf: file).providers }
    }

    /// Runs a test beside a server that publishes what OpenID Connect servers do, too.
    private func withHarbor(_ test: (Place) async throws -> Void) async throws {
        let server = try await LocalHTTPServer.start { request in
            switch request.path {
            case "/harbor.json": .json(["berths": 12])
            case "/.well-known/openid-configuration": .json(["issuer": "https://id.example.com"])
            default: LocalResponse(status: 404)
            }
        }
        try await test(Place(server: server, folder: TemporaryFolder()))
        await server.stop()
    }

    @Test("Its server is recognized before it counts as one of a protocol, and its questions are asked")
    func asked() async throws {
        try await withHarbor { place in
            let unknown = try await place.run("init", place.address, "--no-login", knowsHarbor: false)
            #expect(unknown.status == 64 && unknown.errors.contains("✔ \(place.address): openid-connect"), "\(unknown)")
            let lacking = try await place.run("init", place.address, "--no-login")
            #expect(lacking.status == 64 && lacking.errors.contains("harbor needs berth. Add --set"), "\(lacking)")
            let near = try await place.run("init", "Marina", "--no-login")
            #expect(near.status == 64 && near.errors.contains("Did you mean harbor?"), "\(near)")

            let (isDone, text) = await place.shown("init", "--no-login", answering: [place.address, "7", ""])
            #expect(isDone, "\(text)")
            #expect(text.contains("a kind of server: harbor, ") && text.contains("✔ \(place.address): harbor "))
            #expect(text.contains("The ship's berth, as the office gave it: ") && text.contains("The tide [any]: "))
            #expect(text.contains("✔ harbor backend: \(place.address) responds as a sign-in needs it"), "\(text)")
            let settings: JSONValue = ["server": .string(place.address), "berth": "7", "flag": "white"]
            #expect(try place.providers().map(\.settings) == [settings])
        }
    }

    @Test("It is listed, examined and changed, and a sign-in takes its options and ends with its status")
    func used() async throws {
        try await withHarbor { place in
            let made = try await place.run("init", "harbor", "--set", "server=\(place.address)", "--set", "berth=7")
            // It signs in at once.
            #expect(made.status == 4 && made.errors.contains("The berth is taken."), "\(made)")
            let changed = try await place.run(
                "init", place.address + "/", "--name", "harbor", "--set", "berth=8", "--no-login")
            #expect(changed.status == 0 && changed.errors.contains("This changes harbor."), "\(changed)")
            #expect(try place.providers().map { $0.settings["berth"] } == ["8"])

            #expect(try await place.run("providers", "--types").output.contains("harbor  provider, needs "))
            let well = try await place.run("doctor")
            #expect(well.status == 0 && well.output.contains("harbor backend"), "\(well)")

            #expect(try await place.run("login").status == 4)
            let login = try await place.run("login", "--device")
            #expect(login.status == 0 && login.output == "harbor/8\n", "\(login)")

            await place.server.stop()
            let ill = try await place.run("doctor")
            #expect(ill.status == 1 && ill.output.contains("✘ harbor backend"), "\(ill)")
        }
    }

    @Test("No new module takes the name of one of its modules")
    func reserved() async throws {
        try await withHarbor { place in
            let words = ["plugin", "new", "HarborOffice", "--folder", place.folder.file("office").path]
            let taken = try await Tool.run(words, environment: place.environment, adding: [HarborPlugin.self])
            #expect(taken.status == 64 && taken.errors.contains("\"HarborOffice\" is taken"), "\(taken)")
            #expect(try await Tool.run(words, environment: place.environment).status == 0)
        }
    }

    @Test("One file of the tool names backends, beside those that start their stand-ins")
    func names() throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../../Sources/IdentityTool").standardizedFileURL
        let files = try #require(FileManager.default.enumerator(atPath: folder.path)?.allObjects as? [String])
        let backend =
            /(?i)\bimport (?:ThunderID|InsForge|IdentityOAuthProviders|IdentityPresets)|thunder ?id|insforge|oauth2|openid-?connect|protected-?resource|workload(?:plugin|settings)/
        var naming: Set<String> = []
        for file in files where file.hasSuffix(".swift") && !file.contains("Example/") {
            let lines = try String(contentsOf: folder.appendingPathComponent(file), encoding: .utf8)
                .components(separatedBy: "\n")
            // In a netrc file and for git a token has a user name as well.
            for line in lines
            where line.firstMatch(of: /login oauth2|username=oauth2/) == nil && line.firstMatch(of: backend) != nil {
                naming.insert(file)
            }
        }
        let others = naming.filter { !$0.hasPrefix("Demo/") && !$0.hasPrefix("Serve/") }
        #expect(others == ["ProviderRegistry+Tool.swift"])
    }
}
