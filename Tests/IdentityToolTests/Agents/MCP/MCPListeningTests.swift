import Foundation
import IdentityKit
import IdentityLocalServers
import IdentityTool
import TestSupport
import Testing

/// Messages that a server sends by itself, beside the responses to requests.
@Suite(.endsInTime) struct MCPListeningTests {
    @Test(
        "The server's own messages arrive, and after the end of the stream and a failure those after the last one",
        arguments: [503, 409])
    func own(failure: Int) async throws {
        let opened = Locked<[LocalRequest]>([])
        let server = try await MCPStandIn.start(listening: { request in
            let number = opened.withLock { opened in
                opened.append(request)
                return opened.count
            }
            let notification: JSONValue = ["jsonrpc": "2.0", "method": "notifications/tools/list_changed"]
            let question: JSONValue = ["jsonrpc": "2.0", "id": "ask", "method": "roots/list"]
            switch number {
            case 1:
                return MCPStandIn.stream(
                    "id: 7\nretry: 1\n" + MCPStandIn.event(notification)
                        + MCPStandIn.event(MCPStandIn.result("of nobody", for: 9)) + "data: {\"jsonrpc\"")
            case 2: return LocalResponse(status: failure)
            case 3: return MCPStandIn.stream("id: 8\n" + MCPStandIn.event(question))
            default: return LocalResponse(status: 405)
            }
        })
        try await withTool { fixture in
            try await fixture.nameWithSession(server.http.url, path: "/mcp")
            let lines = Locked([
                MCPLine.request(1, "initialize", ["protocolVersion": "2025-11-25"]),
                MCPLine.notification("notifications/initialized"),
            ])
            let (output, errors, hasWritten) = (Locked(Data()), Locked(Data()), DispatchSemaphore(value: 0))
            let context = ToolContext(
                environment: ProcessInfo.processInfo.environment.merging(fixture.environment) { $1 },
                folder: fixture.folder,
                input: ToolContext.Input {
                    if let line = lines.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { return Data(line.utf8) }
                    // The client stays until it has heard everything.
                    while output.withLock({ $0.count { $0 == UInt8(ascii: "\n") } }) < 3 { hasWritten.wait() }
                    return Data()
                },
                output: ToolContext.Output { bytes in
                    output.withLock { $0 += bytes }
                    hasWritten.signal()
                },
                errors: ToolContext.Output { bytes in errors.withLock { $0 += bytes } })
            let status = await IdentityTool.run(["mcp", "git"], in: context)
            let result = ToolProcess.Result(
                status: status.rawValue, output: String(decoding: output.withLock { $0 }, as: UTF8.self),
                errors: String(decoding: errors.withLock { $0 }, as: UTF8.self))
            #expect(result.status == 0 && result.errors.isEmpty, "\(result)")
            let messages = try result.messages()
            #expect(result.output.split(separator: "\n").count == 3 && messages.count == 3, "\(result.output)")
            #expect(messages["notifications/tools/list_changed"] != nil && messages["ask"]?["method"] == "roots/list")
        }
        let requests = opened.withLock { $0 }
        #expect(requests.prefix(3).map { $0.header("Last-Event-ID") } == [nil, "7", "7"])
        for request in requests {
            #expect(request.header("Accept") == "text/event-stream" && request.bearerToken != nil)
            #expect(request.header("Mcp-Session-Id") == MCPStandIn.session)
            #expect(request.header("MCP-Protocol-Version") == "2025-11-25")
        }
        #expect(server.methods.last == "DELETE")
        await server.http.stop()
    }

    @Test("Each session that the client begins has a stream of its own")
    func anew() async throws {
        let (opened, reads, isOpened) = (Locked(0), Locked(0), DispatchSemaphore(value: 0))
        let server = try await MCPStandIn.start(listening: { _ in
            opened.withLock { $0 += 1 }
            isOpened.signal()
            // The server has forgotten the session.
            return LocalResponse(status: 404)
        })
        try await withTool { fixture in
            try await fixture.nameWithSession(server.http.url, path: "/mcp")
            let context = ToolContext(
                environment: ProcessInfo.processInfo.environment.merging(fixture.environment) { $1 },
                folder: fixture.folder,
                input: ToolContext.Input {
                    let number = reads.withLock { reads in
                        reads += 1
                        return reads
                    }
                    // The client begins anew, and then leaves, once the server was asked for the stream.
                    if number > 1 { isOpened.wait() }
                    guard number < 3 else { return Data() }
                    let lines = [
                        MCPLine.request(.integer(Int64(number)), "initialize", ["protocolVersion": "2025-11-25"]),
                        MCPLine.notification("notifications/initialized"),
                    ]
                    return Data(lines.joined().utf8)
                },
                output: ToolContext.Output { _ in }, errors: ToolContext.Output { _ in })
            let status = await IdentityTool.run(["mcp", "git"], in: context)
            #expect(status.rawValue == 0)
        }
        #expect(opened.withLock { $0 } == 2)
        #expect(server.methods.filter { $0 == "initialize" }.count == 2)
        await server.http.stop()
    }
}
