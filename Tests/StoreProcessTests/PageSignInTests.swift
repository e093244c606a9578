#if os(Linux)
import Foundation
import IdentityKit
import IdentityLocalServers
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A process that was told of no browser, and the program that the variable `BROWSER` names: it is opened, and its way back
/// to the process is a loopback address.
@Suite(.endsInTime) struct PageSignInTests {
    /// A browser of its own process, which leaves every page to the person that a test plays.
    private struct Browser: Sendable {
        let program: URL
        private let inbox: LocalHTTPServer
        private let temporary: TemporaryFolder

        /// - Parameter visit: what the person does on a page; the result is where the browser is sent.
        init(_ visit: @escaping @Sendable (URL) async throws -> URL) async throws {
            inbox = try await LocalHTTPServer.start { request in
                do {
                    guard let page = URL(string: String(decoding: request.body, as: UTF8.self)) else {
                        return .text("no address", status: 400)
                    }
                    let back = try await visit(page)
                    return .text("\(try await DefaultTransport.make().data(for: URLRequest(url: back)).1.statusCode)")
                } catch {
                    return .text("\(error)", status: 500)
                }
            }
            temporary = try TemporaryFolder()
            program = temporary.file("browser")
            let script = """
                #!/bin/bash
                exec 3<>/dev/tcp/127.0.0.1/\(inbox.url.port ?? 0)
                printf 'POST / HTTP/1.1\\r\\nHost: 127.0.0.1\\r\\nContent-Length: %s\\r\\nConnection: close\\r\\n\\r\\n%s' \
                    "${#1}" "$1" >&3
                cat <&3
                """
            try Script.write(script, to: program)
        }

        /// What a process prints that opens its pages here.
        func lines(
            _ arguments: [String], doing work: String = "sign-in-on-page", in folder: URL? = nil
        ) async throws -> [String] {
            try await ProbeProcess(
                ["do=\(work)"] + arguments, variables: ["BROWSER": program.path], in: folder
            ).end().lines
        }

        func stop() async { await inbox.stop() }
    }

    private static let redirect = "http://127.0.0.1/callback"

    /// A configuration of one provider.
    private static func configuration(_ type: String, _ settings: [String: JSONValue]) throws -> String {
        let all = settings.merging(["allowsLoopbackHTTP": true]) { $1 }
        let configuration = IdentityConfiguration(
            store: .memory, providers: [ProviderConfiguration(name: "work", type: type, settings: .object(all))])
        return "configuration=" + String(decoding: try JSONEncoder().encode(configuration), as: UTF8.self)
    }

    @Test("InsForge: its client's OAuth view, and its provider")
    func insForge() async throws {
        let server = try await LocalInsForgeServer.start()
        let browser = try await Browser { try await ScriptedLogin().signIn(at: $0) }
        let client = [
            "with=insforge-client", "server=\(server.url.absoluteString)", "key=\(server.anonKey)",
            "redirect=\(Self.redirect)",
        ]
        #expect(try await browser.lines(client).first?.hasPrefix("signed in ") == true)
        let provider = try Self.configuration(
            "insforge",
            [
                "baseURL": .string(server.url.absoluteString), "anonKey": .string(server.anonKey), "signIn": "oauth",
                "oauthProvider": "google", "redirectURI": .string(Self.redirect),
            ])
        #expect(try await browser.lines(["with=client", provider]).first?.hasPrefix("signed in ") == true)
        await browser.stop()
        await server.stop()
    }

    @Test("ThunderID: its client, and its provider")
    func thunderID() async throws {
        // The server takes no other port than the one that is registered.
        let redirect = "http://127.0.0.1:\(FreePort.find())/callback"
        var setup = LocalThunderIDServer.Configuration()
        setup.application.redirectURIs = [redirect]
        let server = try await LocalThunderIDServer.start(configuration: setup)
        let person = ScriptedLogin(username: server.user.username, password: server.user.password)
        let browser = try await Browser { try await person.signIn(at: $0) }
        let address = server.url.absoluteString
        #expect(
            try await browser.lines([
                "with=thunderid-client", "server=\(address)", "client=\(server.application.clientID)",
                "redirect=\(redirect)",
            ]) == ["signed in \(server.user.id)"])
        let provider = try Self.configuration(
            "thunderid",
            [
                "baseURL": .string(address), "clientID": .string(server.application.clientID), "signIn": "redirect",
                "redirectURI": .string(redirect),
            ])
        #expect(try await browser.lines(["with=client", provider]) == ["signed in \(server.user.id)"])
        await browser.stop()
        await server.stop()
    }

    @Test("OpenID Connect and OAuth 2.0", arguments: ["openid-connect", "oauth2"])
    func standard(type: String) async throws {
        let server = try await LocalOpenIDConnectServer.start()
        let person = ScriptedLogin(username: server.user.username, password: server.user.password)
        let browser = try await Browser { try await person.signIn(at: $0) }
        var settings: [String: JSONValue] = [
            "issuer": .string(server.issuer), "clientID": .string(server.client.id),
            "redirectURI": .string(Self.redirect),
        ]
        if type == "oauth2" {
            settings["account"] = [
                "url": .string(server.url.appendingPathComponent("api/resource").absoluteString),
                "identifier": "subject",
            ]
        }
        let provider = try Self.configuration(type, settings)
        #expect(try await browser.lines(["with=client", provider]) == ["signed in \(server.user.id)"])
        await browser.stop()
        await server.stop()
    }

    @Test(
        "The program of the pages, in the folder of its file, prints a token that the server takes",
        arguments: ["every-type", "plugins"])
    func firstToken(types: String) async throws {
        let server = try await LocalOpenIDConnectServer.start()
        let person = ScriptedLogin(username: server.user.username, password: server.user.password)
        let browser = try await Browser { try await person.signIn(at: $0) }
        let folder = try TemporaryFolder()
        try Data(
            """
            {"store": {"type": "file", "folder": "sessions", "key": {"home": "keyFile"}},
             "providers": [
               {"name": "work", "type": "openid-connect",
                "settings": {"issuer": "\(server.issuer)", "clientID": "\(server.client.id)",
                             "redirectURI": "\(Self.redirect)", "allowsLoopbackHTTP": true}}]}
            """.utf8
        ).write(to: folder.file("identity.json"))
        let printed = try await browser.lines(["with=\(types)"], doing: "first-token", in: folder.url)
        #expect(printed.count == 1)
        var request = URLRequest(url: server.url.appendingPathComponent("api/resource"))
        request.setValue("Bearer \(printed.first ?? "")", forHTTPHeaderField: "Authorization")
        #expect(try await DefaultTransport.make().data(for: request).1.statusCode == 200)
        // A second run finds the session, and shows no page.
        #expect(
            try await ProbeProcess(
                ["do=first-token", "with=\(types)"], variables: NoBrowser.variables, in: folder.url
            ).end().lines == printed)
        await browser.stop()
        await server.stop()
    }

    @Test("Where there is no browser, nothing waits for one")
    func noBrowser() async throws {
        let server = try await LocalInsForgeServer.start()
        let client = try await ProbeProcess(
            [
                "do=sign-in-on-page", "with=insforge-client", "server=\(server.url.absoluteString)",
                "key=\(server.anonKey)", "redirect=\(Self.redirect)",
            ], variables: NoBrowser.variables
        ).end()
        #expect(client.failures == ["not_configured"])
        await server.stop()
    }
}
#endif
