#if os(Linux)
extension HostileRow {
    private static func http2(
        _ name: String, body: String? = nil, settings: [(UInt16, UInt32)] = [], _ outcome: Outcome,
        _ answer: @escaping @Sendable (RawConnection) -> Void
    ) -> HostileRow {
        HostileRow(name, .http2, body: body, outcome, foundation: .notSpoken) { connection in
            guard connection.readHTTP2Head(settings: settings) != nil else { return }
            answer(connection)
            connection.awaitEnd()
        }
    }

    private static let fine = HTTP2.headers([(":status", "200"), ("content-type", "application/json")])

    /// HTTP/2 (RFC 9113).
    static let http2: [HostileRow] = [
        http2("A response in HTTP/2", .response()) { $0.write(fine + HTTP2.data("{}")) },
        http2("RFC 9113 6.8: a connection that is given up before the request was read", .lost) { connection in
            connection.write(HTTP2.goAway(lastStream: 0))
            connection.end()
        },
        http2("RFC 9113 6.8: a connection that is given up with an error", .lost) { connection in
            connection.write(HTTP2.goAway(lastStream: 1, error: 2))
            connection.end()
        },
        http2("RFC 9113 6.8: a connection that ends after this response", .response()) { connection in
            connection.write(HTTP2.goAway(lastStream: 1) + fine + HTTP2.data("{}"))
        },
        http2("RFC 9113 8.7: a stream that is refused", .lost) { $0.write(HTTP2.reset(7)) },
        http2("RFC 9113 7: a stream that ends with an error", .lost) { $0.write(HTTP2.reset(2)) },
        http2("RFC 9113 7: a server that wants HTTP/1.1", .lost) { $0.write(HTTP2.reset(13)) },
        http2("A stream that is reset within the body", .lost) { connection in
            connection.write(fine + HTTP2.data("{", ends: false) + HTTP2.reset(8))
        },
        http2("A connection that ends within the body", .lost) { connection in
            connection.write(fine + HTTP2.data("{", ends: false))
            connection.end()
        },
        http2("RFC 9113 6.9: a window that grows by nothing", .lost) { connection in
            connection.write(HTTP2.windowUpdate(0) + fine + HTTP2.data("{}"))
        },
        http2("RFC 9113 6.9.1: a window beyond 31 bits", .lost) { connection in
            connection.write(HTTP2.windowUpdate(0x7FFF_FFFF) + HTTP2.windowUpdate(0x7FFF_FFFF))
        },
        http2(
            "RFC 9113 6.9.2: an initial window beyond 31 bits", settings: [(4, 0xFFFF_FFFF)], .lost
        ) { $0.write(fine + HTTP2.data("{}")) },
        http2(
            "RFC 9113 8.1: an answer while the window holds the body back, which libcurl loses",
            body: String(repeating: "a", count: 200_000), settings: [(4, 0)], .lost
        ) { connection in
            connection.write(HTTP2.headers([(":status", "413")]) + HTTP2.data("{}") + HTTP2.reset(0))
        },
        http2("RFC 9113 8.1: trailers are no header fields", .response(200, "{}", ["x-t": nil])) { connection in
            connection.write(fine + HTTP2.data("{}", ends: false) + HTTP2.headers([("x-t", "1")], ends: true))
        },
        http2("RFC 9113 8.1: an interim response", .response(200, "{}", ["link": nil])) { connection in
            connection.write(HTTP2.headers([(":status", "103"), ("link", "</a>")]) + fine + HTTP2.data("{}"))
        },
        http2("RFC 9113 8.3.2: no status", .lost) { $0.write(HTTP2.headers([("a", "b")]) + HTTP2.data("{}")) },
        http2("RFC 9113 8.2.1: a name with capitals", .lost) { connection in
            connection.write(HTTP2.headers([(":status", "200"), ("X-Test", "a")]) + HTTP2.data("{}"))
        },
        http2("RFC 9113 8.1.1: more body than its length", .lost) { connection in
            connection.write(HTTP2.headers([(":status", "200"), ("content-length", "1")]) + HTTP2.data("{}"))
        },
        http2("RFC 9113 8.4: a response to a request that nobody sent", .lost) { connection in
            connection.write(HTTP2.frame(5, flags: 4, stream: 1, HTTP2.number(2) + HTTP2.block([(":method", "GET")])))
            connection.write(fine + HTTP2.data("{}"))
        },
        http2("RFC 9113 4.2: a frame beyond the largest size", .lost) { connection in
            connection.write([0xFF, 0xFF, 0xFF, 0, 0] + HTTP2.number(1) + [UInt8](repeating: 0, count: 100_000))
        },
        http2("RFC 9113 6.10: fields that go on for ever", .lost) { connection in
            connection.write(HTTP2.frame(1, stream: 1, HTTP2.block([(":status", "200")])))
            let more = HTTP2.frame(9, stream: 1, HTTP2.block([("x-a", String(repeating: "a", count: 200))]))
            while connection.write(more) {}
        },
        http2("RFC 7541 2.3.3: an index that no table has", .lost) {
            $0.write(HTTP2.frame(1, flags: 5, stream: 1, [0xFE]))
        },
        http2("RFC 9113 4.1: an unknown kind of frame", .response()) { connection in
            connection.write(HTTP2.frame(0xEE, stream: 1, [1, 2, 3]) + fine + HTTP2.data("{}"))
        },
        http2("A hundred pings", .response()) { connection in
            connection.write((0..<100).flatMap { _ in HTTP2.frame(6, [UInt8](repeating: 0, count: 8)) })
            connection.write(fine + HTTP2.data("{}"))
        },
        HostileRow("A server of HTTP/1.1 that is spoken to in HTTP/2", .http2, .lost, foundation: .notSpoken) {
            connection in
            connection.read(HTTP2.prefaceLength)
            connection.write("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
        },
    ]
}
#endif
