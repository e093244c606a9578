import Foundation
import IdentityKit
import IdentityLocalServers
import TestSupport
import Testing
import TransportChecks

/// `identity mcp` with a session that is there.
@Suite(.endsInTime) struct MCPTests {
    /// Runs the bridge for these lines of a client. The account is the one of the server, and another one is active.
    private func run(
        _ lines: String..., server: MCPStandIn, _ test: (ToolProcess.Result, [JSONValue: JSONValue]) throws -> Void
    ) async throws {
        try await withTool { fixture in
            try await fixture.nameWithSession(server.http.url, path: "/mcp")
            let result = try await fixture.run("mcp", server.address, input: lines.joined())
            #expect(result.status == 0, "\(result.errors)")
            #expect(!(result.output + result.errors).contains("token-of-ada"))
            try test(result, try result.messages())
        }
        await server.http.stop()
    }

    private static func text(_ message: JSONValue?) -> String { message?["error"]?["message"]?.stringValue ?? "" }

    @Test("A session of 2025-11-25 begins, has its identifier in every request, and is ended")
    func session() async throws {
        let server = try await MCPStandIn.start()
        try await run(
            MCPLine.request(1, "initialize", ["protocolVersion": "2025-11-25"]),
            MCPLine.notification("notifications/initialized"), MCPLine.request("two", "tools/list"),
            MCPLine.request(3, "tools/call", ["name": "a"]), server: server
        ) { result, messages in
            #expect(messages.count == 3 && result.errors.isEmpty, "\(result)")
            #expect(messages[1]?["result"]?["protocolVersion"] == "2025-11-25")
            #expect(messages["two"]?["result"]?["did"] == "tools/list")
            #expect(server.methods.prefix(2) == ["initialize", "notifications/initialized"])
            #expect(server.methods.last == "DELETE" && server.methods.count == 5)
            for request in server.requests {
                let isFirst = request.json?["method"] == "initialize"
                #expect(request.header("Mcp-Session-Id") == (isFirst ? nil : MCPStandIn.session))
                #expect(request.header("MCP-Protocol-Version") == (isFirst ? nil : "2025-11-25"))
                #expect(request.header("Mcp-Method") == nil && request.header("Mcp-Name") == nil)
                #expect(request.header("Accept") == "application/json, text/event-stream")
                #expect(request.bearerToken == "token-of-ada")
            }
        }
    }

    @Test("A request of 2026-07-28 has its own fields and no session")
    func perRequest() async throws {
        let server = try await MCPStandIn.start()
        try await run(
            MCPLine.request(1, "tools/call", ["name": "a\r\nCookie: b"], version: "2026-07-28"),
            MCPLine.request(2, "x\r\nCookie: b", version: "2026-07-28"), server: server
        ) { _, messages in
            #expect(messages[1]?["result"]?["did"] == "tools/call")
            #expect(messages[2]?["error"]?["code"] == -32600)
            let request = try #require(server.requests.first)
            #expect(server.requests.count == 1)
            #expect(request.header("MCP-Protocol-Version") == "2026-07-28")
            #expect(request.header("Mcp-Method") == "tools/call")
            #expect(request.header("Mcp-Name") == "=?base64?YQ0KQ29va2llOiBi?=")
            #expect(request.header("Mcp-Session-Id") == nil && request.header("Cookie") == nil)
        }
    }

    @Test("A stream brings what the server says before its response, and the client's responses go to the server")
    func stream() async throws {
        let server = try await MCPStandIn.start { _, message in
            guard message["method"] == "tools/call" else { return nil }
            return MCPStandIn.stream(
                ": wait\r\n\r\ndata: {\"jsonrpc\":\"2.0\",\r\ndata: \"method\":\"notifications/progress\"}\r\n\r\n"
                    + MCPStandIn.event(["jsonrpc": "2.0", "id": "ask", "method": "roots/list"])
                    + MCPStandIn.event(MCPStandIn.result("of another", for: 9))
                    + MCPStandIn.event(MCPStandIn.result("done", for: message["id"]))
                    + MCPStandIn.event(MCPStandIn.result("too late", for: message["id"])))
        }
        try await run(
            MCPLine.request(1, "tools/call", ["name": "a"]), MCPLine.line(["id": "ask", "result": ["roots": []]]),
            server: server
        ) { result, messages in
            #expect(result.output.split(separator: "\n").count == 3, "\(result.output)")
            #expect(messages["notifications/progress"] != nil && messages["ask"]?["method"] == "roots/list")
            #expect(messages[1]?["result"] == "done")
            #expect(server.requests.contains { $0.json?["result"]?["roots"] == [] })
        }
    }

    @Test(
        "A request whose response breaks off is sent once more if it only reads, and otherwise has an error",
        arguments: [("tools/list", 2), ("resources/read", 2), ("tools/call", 1), ("unknown/method", 1)])
    func broken(method: String, count: Int) async throws {
        let server = try await MCPStandIn.start { _, message in
            MCPStandIn.stream(
                MCPStandIn.event(["jsonrpc": "2.0", "method": "notifications/progress"]) + "data: {\"jsonrpc\"")
        }
        try await run(MCPLine.request(1, method, ["name": "a", "uri": "a"]), server: server) { _, messages in
            #expect(server.methods == Array(repeating: method, count: count))
            #expect(Self.text(messages[1]).contains("ended early"), "\(messages)")
        }
    }

    /// The end of a stream that the server continues later.
    private static func pause(_ id: Int, retry: Int = 1) -> LocalResponse {
        MCPStandIn.stream("id: \(id)\nretry: \(retry)\ndata:\n\n")
    }

    @Test(
        "A stream that the server closes while it works is continued up to the response, also after a temporary refusal",
        arguments: [200, 409, 429, 503])
    func continued(first: Int) async throws {
        let opened = Locked<[String?]>([])
        let server = try await MCPStandIn.start { _, message in
            message["method"] == "tools/call" ? Self.pause(7) : nil
        } listening: { request in
            let event = request.header("Last-Event-ID")
            let isFirst = opened.withLock { opened in
                opened.append(event)
                return opened.count == 1
            }
            if isFirst, first != 200 { return LocalResponse(status: first) }
            return event == "7" ? Self.pause(8) : MCPStandIn.stream(MCPStandIn.event(MCPStandIn.result("done", for: 2)))
        }
        try await run(
            MCPLine.request(1, "initialize"), MCPLine.request(2, "tools/call", ["name": "a"]), server: server
        ) { result, messages in
            #expect(messages[2]?["result"] == "done" && result.errors.isEmpty, "\(result)")
            #expect(server.methods == ["initialize", "tools/call", "DELETE"])
            #expect(opened.withLock { $0 } == (first == 200 ? ["7", "8"] : ["7", "7", "8"]))
        }
    }

    @Test(
        "A stream that the server does not continue, or only after too long a pause, is the end of the request",
        arguments: [(1, 1), (3_600_000, 0)])
    func notContinued(retry: Int, count: Int) async throws {
        let opened = Locked(0)
        let server = try await MCPStandIn.start { _, message in
            message["method"] == "tools/call" ? Self.pause(7, retry: retry) : nil
        } listening: { _ in
            opened.withLock { $0 += 1 }
            return LocalResponse(status: 405)
        }
        try await run(
            MCPLine.request(1, "initialize"), MCPLine.request(2, "tools/call", ["name": "a"]), server: server
        ) { _, messages in
            #expect(Self.text(messages[2]).contains("ended early"), "\(messages)")
            #expect(server.methods == ["initialize", "tools/call", "DELETE"])
            #expect(opened.withLock { $0 } == count)
        }
    }

    @Test("A server that never continues a stream ends its request at the deadline")
    func heldForever() async throws {
        let (arrivals, arrival) = AsyncStream.makeStream(of: Void.self)
        let (never, end) = AsyncStream.makeStream(of: Void.self)
        let server = try await MCPStandIn.start { _, message in
            message["method"] == "tools/call" ? Self.pause(7) : nil
        } listening: { _ in
            arrival.yield()
            for await _ in never { break }
            return LocalResponse(status: 405)
        }
        // The deadline of the request passes once the server was asked to continue.
        let time = TimeSource(now: { Date() }) { pause in
            guard pause > .seconds(600), pause <= .seconds(900) else { return try await Task.sleep(for: pause) }
            for await _ in arrivals { break }
        }
        try await withTool { fixture in
            try await fixture.nameWithSession(server.http.url, path: "/mcp")
            let lines = MCPLine.request(1, "initialize") + MCPLine.request(2, "tools/call", ["name": "a"])
            let result = try await Tool.run(
                ["mcp", server.address], environment: fixture.environment, input: lines, clock: time)
            let messages = try result.messages()
            #expect(result.status == 0 && Self.text(messages[2]).contains("ended early"), "\(result)")
        }
        end.finish()
        await server.http.stop()
    }

    @Test("A connection that breaks is no end: a request that only reads gets its response")
    func brokenConnection() async throws {
        let server = try await MCPStandIn.start()
        server.http.fail(.truncateAnswer, pathPrefix: "/mcp")
        try await run(MCPLine.request(1, "tools/list"), server: server) { _, messages in
            #expect(server.methods == ["tools/list", "tools/list"])
            #expect(messages[1]?["result"]?["did"] == "tools/list")
        }
        let other = try await MCPStandIn.start()
        other.http.fail(.dropAnswer, pathPrefix: "/mcp")
        try await run(MCPLine.request(1, "tools/call", ["name": "a"]), server: other) { _, messages in
            #expect(other.methods == ["tools/call"] && messages[1]?["error"]?["code"] == -32000, "\(messages)")
        }
    }

    @Test("A session that the server has ended, and a refusal, are errors that say what to do")
    func refused() async throws {
        let server = try await MCPStandIn.start { request, message in
            switch message["method"]?.stringValue {
            case "tools/list": return LocalResponse(status: 404)
            case "tools/call":
                return MCPStandIn.refusal("", 403, ", error=\"insufficient_scope\", scope=\"read write\"")
            case "prompts/list": return LocalResponse(status: 503)
            case "prompts/get":
                return .json(["jsonrpc": "2.0", "id": nil, "error": ["code": -32022, "message": "m"]], status: 400)
            case "resources/list": return .redirect(to: "http://127.0.0.1:9/mcp")
            case "resources/templates/list": return .redirect(to: "/mcp/")
            case "resources/read": return .text("no message")
            default: return nil
            }
        }
        try await run(
            MCPLine.request(1, "initialize"), MCPLine.request(2, "tools/list"),
            MCPLine.request(3, "tools/call", ["name": "a"]), MCPLine.request(4, "prompts/list"),
            MCPLine.request(5, "prompts/get", ["name": "a"]), MCPLine.request(6, "resources/list"),
            MCPLine.request(7, "resources/read", ["uri": "a"]), MCPLine.request(8, "resources/templates/list"),
            server: server
        ) { _, messages in
            #expect(Self.text(messages[2]).contains("has ended its session"))
            let advice = "Sign in with: identity login --resource '\(server.address)' --scope read --scope write"
            #expect(Self.text(messages[3]) == "The server asks for read, write. \(advice)", "\(messages)")
            #expect(Self.text(messages[4]).contains("503"))
            #expect(messages[5]?["error"] == ["code": -32022, "message": "m"])
            #expect(Self.text(messages[6]).contains("another address"))
            #expect(Self.text(messages[7]).contains("not a message"))
            #expect(Self.text(messages[8]).contains("leads to \(server.address)/, "), "\(messages)")
            #expect(server.methods.filter { $0 == "tools/list" }.count == 1)
        }
    }

    @Test("A line that is no message has an error, and the next one is read")
    func malformed() async throws {
        let server = try await MCPStandIn.start()
        try await run(
            "nonsense\n", "\n", "[]\n", String(repeating: "a", count: 5 << 20) + "\n", MCPLine.request(1, "ping"),
            server: server
        ) { result, messages in
            let lines = try result.output.split(separator: "\n").map { try JSONValue(parsing: Data($0.utf8)) }
            #expect(lines.filter { $0["error"]?["code"] == -32700 && $0["id"] == .null }.count == 3, "\(lines)")
            #expect(lines.count == 4 && messages[1]?["result"] != nil)
            #expect(server.methods == ["ping"])
        }
    }

    @Test("A request does not wait for the response to another one")
    func concurrent() async throws {
        let (arrivals, arrival) = AsyncStream.makeStream(of: Void.self)
        let server = try await MCPStandIn.start { _, message in
            if message["method"] == "ping" { arrival.yield() }
            guard message["method"] == "tools/call" else { return nil }
            for await _ in arrivals { break }
            return nil
        }
        try await run(
            MCPLine.request(1, "tools/call", ["name": "slow"]), MCPLine.request(2, "ping"), server: server
        ) { _, messages in
            #expect(messages[1]?["result"]?["did"] == "tools/call" && messages[2]?["result"] != nil)
        }
    }

    @Test("A request that the client cancels has no response and is not waited for", arguments: [false, true])
    func cancelled(hasSession: Bool) async throws {
        let (never, end) = AsyncStream.makeStream(of: Void.self)
        let server = try await MCPStandIn.start { _, message in
            guard message["method"] == "tools/call" else { return nil }
            for await _ in never { break }
            return nil
        }
        try await run(
            hasSession ? MCPLine.request(0, "initialize") : "", MCPLine.request(1, "tools/call", ["name": "slow"]),
            MCPLine.notification("notifications/cancelled", ["requestId": 1]), MCPLine.request(2, "ping"),
            server: server
        ) { _, messages in
            #expect(messages[1] == nil && messages[2]?["result"] != nil)
            // Without a session a request is cancelled by leaving it.
            #expect(server.methods.contains("notifications/cancelled") == hasSession)
        }
        end.finish()
    }

    @Test("Of several accounts the named one acts, or the active one, for as long as the command runs")
    func accounts() async throws {
        let server = try await MCPStandIn.start()
        try await withTool { fixture in
            try await fixture.nameWithSession(server.http.url, path: "/mcp")
            let address = try #require(URL(string: server.address))
            try await fixture.keep(AccountID(account: "grace", realm: "git"), at: address)
            let line = MCPLine.request(1, "ping")
            for name in ["ada", "grace"] {
                #expect(try await fixture.run("switch", "git/\(name)").status == 0)
                #expect(try await fixture.run("mcp", server.address, input: line).status == 0)
                #expect(server.requests.last?.bearerToken == "token-of-\(name)")
            }
            #expect(try await fixture.run("mcp", "--account", "git/ada", "git", input: line).status == 0)
            #expect(server.requests.last?.bearerToken == "token-of-ada")
            try await fixture.keep(AccountID(account: "ada", realm: "home"), at: fixture.insForge.url)
            let elsewhere = try await fixture.run("mcp", "--account", "home/ada", "git", input: line)
            expectOneLine(elsewhere, status: 1, of: "mcp --account home/ada")
            // Nobody else acts in the place of the active account, which would have to sign in.
            try await fixture.end(
                AccountID(account: "grace", realm: "git"),
                #"{"endReason": "It was revoked.", "signedInAt": 0, "backend": "\#(server.address)"}"#)
            #expect(try await fixture.run("mcp", "git", input: line).status != 0)
            #expect(server.requests.count == 3)
        }
        await server.http.stop()
    }

    @Test("Of several providers that name the server the one of the named or the active account counts")
    func providers() async throws {
        let server = try await MCPStandIn.start()
        func provider(_ name: String) -> ProviderConfiguration {
            ProviderConfiguration(
                name: name, type: "protected-resource",
                settings: ["resource": .string(server.address), "allowsLoopbackHTTP": true])
        }
        try await withTool { fixture in
            try fixture.configure(provider("git"), provider("hub"))
            let address = try #require(URL(string: server.address))
            let (ada, grace) = (AccountID(account: "ada", realm: "git"), AccountID(account: "grace", realm: "hub"))
            for account in [ada, grace] { try await fixture.keep(account, at: address) }
            #expect(try await fixture.run("switch", "hub/grace").status == 0)
            let line = MCPLine.request(1, "ping")
            #expect(try await fixture.run("mcp", server.address, input: line).status == 0)
            #expect(server.requests.last?.bearerToken == "token-of-grace")
            for account in ["ada": "git/ada", "grace": "hub/grace"] {
                let result = try await fixture.run("mcp", server.address, "--account", account.value, input: line)
                #expect(result.status == 0, "\(result)")
                #expect(server.requests.last?.bearerToken == "token-of-\(account.key)")
            }
            // The other provider's account does not act in the place of the active one.
            try await fixture.end(
                grace, #"{"endReason": "It was revoked.", "signedInAt": 0, "backend": "\#(server.address)"}"#)
            #expect(try await fixture.run("mcp", server.address, input: line).status != 0)
            #expect(server.requests.count == 3)
        }
        await server.http.stop()
    }

    @Test("The server is found by its provider, and one that no provider names is a mistake")
    func names() async throws {
        let server = try await MCPStandIn.start()
        try await withTool { fixture in
            try await fixture.nameWithSession(server.http.url, path: "/mcp")
            let line = MCPLine.request(1, "ping")
            #expect(try await fixture.run("mcp", "git", input: line).messages()[1]?["result"] != nil)
            let other = try await fixture.run("mcp", "other", input: line)
            expectOneLine(other, status: 1, of: "mcp other")
            #expect(server.requests.count == 1)
        }
        await server.http.stop()
    }

    #if os(Linux)
    @Test("A certificate is trusted when the settings of the account's provider name its authority")
    func ownAuthority() async throws {
        let (connection, other) = try RawConnection.pair()
        let server = try TLSServer.start(host: "localhost", application: "http/1.1", through: other)
        // Reading waits, which no task may.
        Thread {
            guard connection.readRequest() else { return }
            let body = #"{"jsonrpc":"2.0","id":1,"result":"done"}"#
            connection.write("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n")
            connection.write("Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
        }.start()
        try await withTool { fixture in
            let file = fixture.folder.appendingPathComponent("authority.pem")
            try server.certificate.write(to: file)
            let address = "https://localhost:\(server.port)"
            try await fixture.nameWithSession(try #require(URL(string: address)), path: "/mcp")
            try fixture.configure(
                ProviderConfiguration(
                    name: "git", type: "protected-resource",
                    settings: ["resource": .string(address + "/mcp"), "trustedCertificates": [.string(file.path)]]))
            var answer: JSONValue?
            // The server begins to listen some time after its start.
            repeat {
                let line = MCPLine.request(1, "tools/call", ["name": "a"])
                answer = try await fixture.run("mcp", address + "/mcp", input: line).messages()[1]
            } while Self.text(answer).contains("Nothing answers")
            #expect(answer?["result"] == "done", "\(Self.text(answer))")
        }
        server.end()
    }
    #endif
}
