#if os(Linux)
extension HostileRow {
    /// A response of these header lines, whose body is `{}`.
    private static func head(_ lines: String..., status: String = "HTTP/1.1 200 OK") -> String {
        ([status] + lines + ["Content-Length: 2", "", "{}"]).joined(separator: "\r\n")
    }

    /// Status lines and header fields.
    static let heads: [HostileRow] = [
        HostileRow("RFC 9112 4: no reason phrase", bytes: head(status: "HTTP/1.1 200 "), .response()),
        HostileRow(
            "RFC 9112 4: no space in the place of a phrase", bytes: head(status: "HTTP/1.1 200"), .response(),
            foundation: .fault("it cannot parse the response")),
        HostileRow(
            "A phrase in Latin-1", .plain, .response(), foundation: .fault("it cannot parse the response")
        ) { connection in
            connection.readHead()
            connection.write([UInt8]("HTTP/1.1 200 D'accord \u{00E9}".unicodeScalars.map { UInt8($0.value & 255) }))
            connection.write("\r\nContent-Length: 2\r\n\r\n{}")
        },
        HostileRow(
            "RFC 9112 2.2: lines that end with LF alone", bytes: "HTTP/1.1 200 OK\nContent-Length: 2\n\n{}",
            .response(),
            foundation: .fault("it cannot parse the response")),
        HostileRow("No status line, as HTTP/0.9 had", bytes: "{}", .unreadable),
        HostileRow("A protocol of another name", bytes: head(status: "RTSP/1.0 200 OK"), .unreadable),
        HostileRow(
            "A status of two digits", bytes: head(status: "HTTP/1.1 20 OK"), .unreadable,
            foundation: .fault("it takes it")),
        HostileRow(
            "RFC 9112 5: no space after the colon", bytes: head("X-Test:yes"), .response(200, "{}", ["X-Test": "yes"]),
            foundation: .fault("it cannot parse the response")),
        HostileRow(
            "RFC 9112 5.1: space around a value", bytes: head("X-Test: \t yes \t"),
            .response(200, "{}", ["X-Test": "yes"]), foundation: .fault("it keeps some of it")),
        HostileRow(
            "RFC 9112 5.2: a folded value", bytes: head("X-Test: one", " two"),
            .response(200, "{}", ["X-Test": "one two"]),
            foundation: .fault("it loses the value")),
        HostileRow(
            "RFC 9110 5.5: a value in Latin-1", .plain, .response(200, "{}", ["X-Name": "J\u{00F6}rg"]),
            foundation: .fault("it cannot parse the response")
        ) { connection in
            connection.readHead()
            connection.write("HTTP/1.1 200 OK\r\nX-Name: J")
            connection.write([0xF6])
            connection.write("rg\r\nContent-Length: 2\r\n\r\n{}")
        },
        HostileRow(
            "A value in UTF-8", bytes: head("X-Name: J\u{00F6}rg"), .response(200, "{}", ["X-Name": "J\u{00F6}rg"])),
        HostileRow(
            "A line without a colon", bytes: head("nonsense"), .unreadable),
        HostileRow(
            "An empty value", bytes: head("X-Test:"), .response(200, "{}", ["X-Test": ""]),
            foundation: .fault("it cannot parse the response")),
        HostileRow(
            "An accent that joins the colon", bytes: head("X-Test:\u{301}a"),
            .response(200, "{}", ["X-Test": "\u{301}a"]),
            foundation: .fault("it cannot parse the response")),
        HostileRow(
            "RFC 9110 5.3: a field twice is a list", bytes: head("X-Test: a", "x-test: b"),
            .response(200, "{}", ["X-Test": "a, b"]), foundation: .fault("it keeps the first one")),
        HostileRow(
            "A field of 60 kB", bytes: head("X-Test: " + String(repeating: "a", count: 60_000)),
            .response(200, "{}", ["X-Test": String(repeating: "a", count: 60_000)])),
        HostileRow(
            "Two thousand fields", bytes: head((0..<2000).map { "X-\($0): a" }.joined(separator: "\r\n")),
            .response(200, "{}", ["X-1999": "a"])),
        HostileRow(
            "Fields without an end", .plain, .failure(["answer_too_large", "connection_lost"], neverSent: false),
            foundation: .fault("it keeps them all")
        ) { connection in
            connection.readHead()
            connection.write("HTTP/1.1 200 OK\r\n")
            while connection.write("X-Test: \(String(repeating: "a", count: 1000))\r\n") {}
        },
        HostileRow(
            "RFC 9110 5.5: NUL in a value", .plain, .unreadable, foundation: .fault("it takes it")
        ) { connection in
            connection.readHead()
            connection.write("HTTP/1.1 200 OK\r\nX-Test: a\0b\r\nContent-Length: 2\r\n\r\n{}")
        },
        HostileRow(
            "Cookies come apart from each other", bytes: head("Set-Cookie: a=b; Path=/", "Set-Cookie: c=d"),
            .response(200, "{}", ["Set-Cookie": "a=b; Path=/, c=d"])),
        HostileRow(
            "RFC 9110 7.8: an upgrade that nobody asked for", bytes: head("Upgrade: h2c", "Connection: Upgrade"),
            .response()),
        HostileRow(
            "A server of HTTP/1.0, whose body ends with the connection", bytes: "HTTP/1.0 200 OK\r\n\r\n{}", .response()
        ),
    ]
}
#endif
