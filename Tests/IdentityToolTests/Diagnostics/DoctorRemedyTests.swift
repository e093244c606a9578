import Foundation
import IdentityKit
import IdentityStoreFormat
import TestSupport
import Testing

/// Each finding of the doctor comes with a command: after it, the finding is gone, and the sessions are whole.
@Suite(.endsInTime) struct DoctorRemedyTests {
    enum Fault: String, CaseIterable, CustomTestStringConvertible {
        case emptyDescription, changedIdentifier, changedProtection, changedVersion, missingDescription
        case descriptionWithoutCopy, keyRecord, choice, openKey, openFolder, openSession, missingKey, shortKey

        var testDescription: String { rawValue }

        /// Whether the sessions are put aside, because nobody can read them without their key.
        var losesKey: Bool { [.missingKey, .shortKey].contains(self) }

        /// Plants the fault in the store at `store`.
        func plant(in store: String, _ session: String) throws {
            let (description, key) = (store + "/store.json", store + ".key")
            func change(_ path: String, _ edit: (inout Data) -> Void) throws {
                var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
                edit(&bytes)
                try bytes.write(to: URL(fileURLWithPath: path))
            }
            func replace(_ text: String, _ other: String) throws {
                let content = try String(contentsOfFile: description, encoding: .utf8)
                try #require(content.contains(text))
                try change(description) { $0 = Data(content.replacing(text, with: other).utf8) }
            }
            func damage(_ collection: String, _ name: String) throws {
                let record = RecordPath.path(collection: collection, name: name)
                try change("\(store)/\(record)") { $0[$0.count - 1] ^= 1 }
            }
            func open(_ path: String, _ mode: Int) throws {
                try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
            }
            switch self {
            case .emptyDescription: try change(description) { $0 = Data() }
            case .changedIdentifier: try replace(#""identifier":""#, #""identifier":"0"#)
            case .changedProtection: try replace("key-file", "kez-file")
            case .changedVersion: try replace(#""version":1"#, #""version":9"#)
            case .missingDescription: try FileManager.default.removeItem(atPath: description)
            case .descriptionWithoutCopy:
                try FileManager.default.removeItem(atPath: store + "/store.copy")
                try change(description) { $0[0] ^= 1 }
            case .keyRecord: try damage("device", "data-key")
            case .choice: try damage("current-accounts", "profile default")
            case .openKey: try open(key, 0o644)
            case .openFolder: try open(store, 0o755)
            case .openSession: try open(session, 0o644)
            case .missingKey: try FileManager.default.moveItem(atPath: key, toPath: key + ".backup")
            case .shortKey:
                try FileManager.default.copyItem(atPath: key, toPath: key + ".backup")
                try change(key) { $0 = $0.prefix(20) }
            }
        }
    }

    /// The command in what the doctor prints about the first problem.
    private func remedy(in doctor: ToolProcess.Result) throws -> String {
        let lines = doctor.output.split(separator: "\n")
        let problem = try #require(lines.firstIndex { $0.hasPrefix("✘") }, "\(doctor)")
        let fix = try #require(lines.dropFirst(problem + 1).first, "\(doctor)")
        return try #require(fix.trimmingCharacters(in: .whitespaces).components(separatedBy: ": ").last)
    }

    @Test("The command mends it", arguments: Fault.allCases)
    func store(fault: Fault) async throws {
        try await withTool { fixture in
            // A path that a shell would take apart.
            let store = fixture.folder.appendingPathComponent("ada's state/identity").path
            var configuration = fixture.configuration
            configuration.store = .file(folder: store, key: .keyFile())
            try JSONEncoder().encode(configuration).write(to: fixture.configurationFile)
            let account = try await fixture.signIn().output.trimmingCharacters(in: .newlines)
            let token = try await fixture.run("token").output
            try #require(!token.isEmpty)
            let record = RecordPath.path(collection: "accounts", name: account)
            try fault.plant(in: store, "\(store)/\(record)")

            let ill = try await fixture.run("doctor", "--offline")
            #expect(ill.status == 1, "\(ill)")
            let command = try remedy(in: ill)
            // Asked again, it says the same: it changes nothing itself.
            #expect(try remedy(in: try await fixture.run("doctor", "--offline")) == command)
            try await run(command, fixture)
            let well = try await fixture.run("doctor", "--offline")
            #expect(well.status == 0 && !well.output.contains("✘"), "\(command): \(well)")

            if fault.losesKey {
                // With a backup of the key, what was put aside is whole.
                try FileManager.default.removeItem(atPath: store)
                if FileManager.default.fileExists(atPath: store + ".key") {
                    try FileManager.default.removeItem(atPath: store + ".key")
                }
                try FileManager.default.moveItem(atPath: store + ".aside", toPath: store)
                try FileManager.default.moveItem(atPath: store + ".key.backup", toPath: store + ".key")
            }
            #expect(try await fixture.run("token").output == token)
        }
    }

    @Test("A suspended session beside the active one is signed in to by its provider, and by none of another profile")
    func suspended() async throws {
        try await withTool { fixture in
            try fixture.configure(fixture.insForgeProvider(named: "home"))
            let active = AccountID(account: "1", realm: "home")
            try await fixture.keep(active, at: fixture.insForge.url)
            #expect(try await fixture.run("switch", active.id).status == 0)
            let user = AccountID(account: fixture.insForge.user.id, realm: "home")
            let other = AccountID(account: "2", realm: "other")
            for account in [user, other] {
                try await fixture.keep(account, at: fixture.insForge.url) {
                    $0.suspension = Suspension("test", because: "It was refused.", retries: .never, at: $0.issuedAt)
                }
            }
            func finding(_ account: AccountID) async throws -> JSONValue? {
                let doctor = try await fixture.run("doctor", "--offline", "--json")
                let findings = try JSONValue(parsing: Data(doctor.output.utf8)).arrayValue ?? []
                return findings.first { $0["detail"]?.stringValue?.hasPrefix("\(account.id) needs") == true }
            }
            let (ill, foreign) = (try await finding(user), try await finding(other))
            #expect(ill?["fix"] == "Run: identity login --provider home")
            #expect(foreign != nil && foreign?["fix"] == nil)
            #expect(try await fixture.signIn().status == 0)
            let well = try await finding(user)
            #expect(well == nil)
        }
    }

    @Test("For a damaged choice, the account to switch to is one that can be used")
    func usableChoice() async throws {
        try await withTool { fixture in
            let live = AccountID(account: "9", realm: "home")
            try await fixture.keep(live, at: fixture.insForge.url)
            #expect(try await fixture.run("switch", live.id).status == 0)
            for name in 1...5 {
                try await fixture.end(
                    AccountID(account: "\(name)", realm: "home"),
                    #"{"endReason": "It is over.", "signedInAt": 0, "backend": "b"}"#)
            }
            try Fault.choice.plant(in: fixture.folder.appendingPathComponent("state/identity").path, "")
            let command = try remedy(in: try await fixture.run("doctor", "--offline"))
            #expect(command == "identity switch home/9")
            try await run(command, fixture)
        }
    }

    @Test(
        "A damaged store.json, or record of the key, keeps nobody from a token",
        arguments: [
            Fault.emptyDescription, .changedIdentifier, .changedProtection, .changedVersion, .missingDescription,
            .keyRecord,
        ])
    func mendsItself(fault: Fault) async throws {
        try await withTool { fixture in
            let store = fixture.folder.appendingPathComponent("state/identity").path
            #expect(try await fixture.signIn().status == 0)
            let token = try await fixture.run("token").output
            try fault.plant(in: store, "")
            let result = try await fixture.run("token")
            #expect(result.status == 0 && result.output == token && !token.isEmpty, "\(result)")
            #expect(try await fixture.run("doctor", "--offline").status == 0)
        }
    }

    @Test(
        "A damaged choice is replaced by a sign-in, a switch and a sign-out",
        arguments: ["login", "switch robin@example.org", "logout", "logout --all"])
    func damagedChoice(command: String) async throws {
        try await withTool { fixture in
            let store = fixture.folder.appendingPathComponent("state/identity").path
            #expect(try await fixture.signIn().status == 0)
            try Fault.choice.plant(in: store, "")
            // A token of another account would be worse than none.
            let refused = try await fixture.run("token")
            #expect(
                refused.status == 1 && refused.output.isEmpty && refused.errors.contains("Sign in again"), "\(refused)")
            if command == "login" {
                #expect(try await fixture.signIn().status == 0)
            } else {
                let result = try await fixture.run(line: command)
                #expect(result.status == 0, "\(result)")
            }
            #expect(try await fixture.run("token").status == (command.hasPrefix("logout") ? 3 : 0))
        }
    }

    @Test("For a damaged store.json without a copy, a sign-in does not ask for another sign-in")
    func descriptionWithoutCopy() async throws {
        try await withTool { fixture in
            #expect(try await fixture.signIn().status == 0)
            let store = fixture.folder.appendingPathComponent("state/identity").path
            try Fault.descriptionWithoutCopy.plant(in: store, "")
            let result = try await fixture.signIn()
            #expect(result.status != 0 && result.errors.contains("identity doctor says what does"), "\(result)")
            #expect(!result.errors.contains("Sign in again"), "\(result)")
        }
    }

    @Test("A damaged device token, or record of an examination, keeps nobody from a token or a sign-in")
    func damagedTokens() async throws {
        try await withTool { fixture in
            let store = fixture.folder.appendingPathComponent("state/identity").path
            #expect(try await fixture.signIn().status == 0)
            let token = try await fixture.run("token").output
            #expect(try await fixture.run("doctor", "--offline").status == 0)
            for name in ["token", "examination"] {
                let path = "\(store)/\(RecordPath.path(collection: "device", name: name))"
                var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
                bytes[bytes.count - 1] ^= 1
                try bytes.write(to: URL(fileURLWithPath: path))
            }
            #expect(try await fixture.run("token").output == token)
            #expect(try await fixture.run("doctor", "--offline").status == 0)
            #expect(try await fixture.signIn().status == 0)
        }
    }

    @Test("A key record is not written for the key of another store")
    func otherKey() async throws {
        try await withTool { fixture in
            let store = fixture.folder.appendingPathComponent("state/identity").path
            #expect(try await fixture.signIn().status == 0)
            try Fault.keyRecord.plant(in: store, "")
            let other = Data((try DataKey().text.reveal() + "\n").utf8)
            try other.write(to: URL(fileURLWithPath: store + ".key"))
            let result = try await fixture.run("token")
            #expect(result.status != 0 && result.errors.contains("the key of another store"), "\(result)")
        }
    }

    @Test("A record is said to be sealed only where records are", arguments: [true, false])
    func sealing(isSealed: Bool) async throws {
        try await withTool { fixture in
            let folder = fixture.folder.appendingPathComponent("kept").path
            var configuration = fixture.configuration
            configuration.store = .file(folder: folder, key: isSealed ? .keyFile() : .allowUnencryptedStorage)
            try JSONEncoder().encode(configuration).write(to: fixture.configurationFile)
            let doctor = try await fixture.run("doctor", "--offline")
            #expect(doctor.status == 0 && doctor.output.contains("written, read and erased"), "\(doctor)")
            #expect(doctor.output.contains("sealed, written") == isSealed, "\(doctor)")
        }
    }

    #if os(Linux)
    @Test("For a keyring that does not open, nothing is moved aside")
    func lockedKeyring() async throws {
        try await withTool { fixture in
            try Script.write(
                "#!/bin/sh\necho Locked >&2\nexit 1\n", to: fixture.folder.appendingPathComponent("secret-tool"))
            var configuration = fixture.configuration
            configuration.store = .file(folder: fixture.folder.appendingPathComponent("kept").path, key: .secretService)
            try JSONEncoder().encode(configuration).write(to: fixture.configurationFile)
            let ill = try await Tool.run(
                ["doctor", "--offline"],
                environment: fixture.environment.merging(["PATH": "\(fixture.folder.path):/usr/bin:/bin"]) { $1 })
            #expect(ill.status == 1 && ill.output.contains("the desktop's keyring: Locked"), "\(ill)")
            #expect(ill.output.contains("Try again: identity doctor") && !ill.output.contains("mv "), "\(ill)")
        }
    }
    #endif

    @Test("A variable that is not set is named, with what sets it")
    func variable() async throws {
        try await withTool { fixture in
            var provider = fixture.insForgeProvider(named: "home")
            provider.settings["anonKey"] = "${HOME_ANON_KEY}"
            try fixture.configure(provider)
            let ill = try await fixture.run("doctor", "--offline")
            #expect(ill.status == 1 && ill.output.contains("settings.anonKey"), "\(ill)")
            let command = try remedy(in: ill)
            #expect(command == "export HOME_ANON_KEY=VALUE", "\(ill)")
            let set = command.replacing("VALUE", with: fixture.insForge.anonKey.quotedForShell)
            let well = try await fixture.shell("\(set)\n\"$0\" doctor --offline")
            #expect(well.status == 0, "\(well)")
        }
    }

    /// Runs a command of the tool here, and any other with a shell.
    private func run(_ command: String, _ fixture: ToolFixture) async throws {
        if command.hasPrefix("identity ") {
            let result = try await fixture.run(line: String(command.dropFirst("identity ".count)))
            #expect(result.status == 0, "\(command): \(result)")
        } else {
            let result = try await fixture.shell(command)
            #expect(result.status == 0, "\(command): \(result)")
        }
    }
}
