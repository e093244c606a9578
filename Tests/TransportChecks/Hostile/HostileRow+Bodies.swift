#if os(Linux)
extension HostileRow {
    private static func sized(_ lengths: String..., body: String = "{}", status: String = "200 OK") -> String {
        "HTTP/1.1 \(status)\r\n" + lengths.map { "Content-Length: \($0)\r\n" }.joined() + "\r\n" + body
    }

    /// Lengths of bodies (RFC 9112 section 6.3).
    static let lengths: [HostileRow] = [
        HostileRow(
            "RFC 9112 6.3: chunks and a length, of which the chunks count",
            bytes: "HTTP/1.1 200 OK\r\nContent-Length: 99\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
            .response()),
        HostileRow("The length twice", bytes: sized("2", "2"), .response()),
        HostileRow(
            "RFC 9112 6.3: a body that is shorter than its length", bytes: sized("20"), .lost),
        HostileRow("A body that is longer than its length", bytes: sized("2", body: "{}{}"), .response()),
        HostileRow("A length that is no number", bytes: sized("two"), .unreadable, foundation: .fault("it takes it")),
        HostileRow("A negative length", bytes: sized("-2"), .unreadable, foundation: .fault("it takes it")),
        HostileRow(
            "A length beyond 63 bits, at the end of the connection", bytes: sized("99999999999999999999"), .response()),
        HostileRow(
            "RFC 9110 15.3.5: no content, and a body behind it", bytes: "HTTP/1.1 204 No Content\r\n\r\n{}",
            .response(204, "")),
        HostileRow(
            "RFC 9110 15.4.5: not modified, with a length", bytes: sized("2", body: "", status: "304 Not Modified"),
            .response(304, "")),
        HostileRow(
            "A body that ends with the connection", bytes: "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n{}", .response()
        ),
        HostileRow("An error with a body", bytes: sized("2", status: "500 No"), .response(500)),
    ]

    private static func chunked(_ body: String, fields: String = "") -> String {
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\(fields)Transfer-Encoding: chunked\r\n\r\n\(body)"
    }

    /// Chunks and trailers (RFC 9112 section 7.1).
    package static let chunks: [HostileRow] = [
        HostileRow("RFC 9112 7.1.1: extensions of chunks", bytes: chunked("2;a=b\r\n{}\r\n0;c\r\n\r\n"), .response()),
        HostileRow("Zeros before the size of a chunk", bytes: chunked("0002\r\n{}\r\n000\r\n\r\n"), .response()),
        HostileRow("A body of one-byte chunks", bytes: chunked("1\r\n{\r\n1\r\n}\r\n0\r\n\r\n"), .response()),
        HostileRow("A chunk whose size is no number", bytes: chunked("zz\r\n{}\r\n0\r\n\r\n"), .unreadable),
        HostileRow("A chunk of 2^68 bytes", bytes: chunked("FFFFFFFFFFFFFFFFF\r\n{}\r\n0\r\n\r\n"), .unreadable),
        HostileRow("A chunk that is longer than its size", bytes: chunked("1\r\n{}\r\n0\r\n\r\n"), .unreadable),
        HostileRow("No last chunk", bytes: chunked("2\r\n{}\r\n"), .lost),
        HostileRow("A connection that ends within a chunk", bytes: chunked("9\r\n{}"), .lost),
        HostileRow(
            "A trailer that was announced",
            bytes: chunked("2\r\n{}\r\n0\r\nX-T: 1\r\n\r\n", fields: "Trailer: X-T\r\n"),
            .response(200, "{}", ["X-T": nil]), foundation: .ends),
        HostileRow(
            "RFC 9112 7.1.2: a trailer that was not announced",
            bytes: chunked("2\r\n{}\r\n0\r\nServer-Timing: total;dur=12\r\ngrpc-status: 0\r\n\r\n"),
            .response(200, "{}", ["Server-Timing": nil, "grpc-status": nil]), foundation: .ends),
        HostileRow(
            "RFC 9110 6.5.1: a trailer that would mean something as a header field",
            bytes: chunked(
                "2\r\n{}\r\n0\r\nWWW-Authenticate: Bearer\r\nDPoP-Nonce: n\r\nDate: Thu, 01 Jan 1970 00:00:00 GMT\r\n"
                    + "Retry-After: 9\r\n\r\n"),
            .response(200, "{}", ["WWW-Authenticate": nil, "DPoP-Nonce": nil, "Date": nil, "Retry-After": nil]),
            foundation: .ends),
        HostileRow(
            "RFC 9112 7.1.2: an unknown coding of a transfer",
            bytes: "HTTP/1.1 200 OK\r\nTransfer-Encoding: bogus\r\n\r\n{}", .unreadable,
            foundation: .fault("it takes it")),
    ]

    private static let compressed: [UInt8] = [
        0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 2, 3, 0xAB, 0xAE, 5, 0, 0x43, 0xBF, 0xA6, 0xA3, 2, 0, 0, 0,
    ]

    private static func encoded(
        _ name: String, _ coding: String, _ bytes: [UInt8], _ outcome: Outcome, foundation: Foundation = .same
    ) -> HostileRow {
        HostileRow(name, .plain, outcome, foundation: foundation) { connection in
            connection.readHead()
            connection.write(
                "HTTP/1.1 200 OK\r\nContent-Encoding: \(coding)\r\nContent-Length: \(bytes.count)\r\n\r\n")
            connection.write(bytes)
        }
    }

    /// Encodings of bodies (RFC 9110 section 8.4).
    static let encodings: [HostileRow] = [
        encoded("RFC 9110 8.4.1.3: gzip", "gzip", compressed, .response()),
        encoded("gzip without its checksum", "gzip", [UInt8](compressed.prefix(14)), .response()),
        encoded("gzip that is none", "gzip", [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12], .unreadable),
        encoded("An encoding that nobody knows", "bogus", [UInt8]("{}".utf8), .unreadable),
        encoded("RFC 9110 8.4.1: identity", "identity", [UInt8]("{}".utf8), .response()),
        encoded("A body that grows beyond the limit", "gzip", GzipBomb.bytes, .tooLarge),
    ]
}

/// Two megabytes of zeros in gzip's form (RFC 1952): a block that says once what to repeat, and then how often.
private enum GzipBomb {
    static let bytes: [UInt8] =
        [
            0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 2, 3, 0xED, 0xC1, 0x31, 0x01, 0x00, 0x00, 0x00, 0xC2, 0xA0, 0xF5, 0x4F, 0x6D,
            0x0C, 0x1F, 0xA0,
        ] + [UInt8](repeating: 0, count: 2032)
        + [0xBE, 0x06, 0x7E, 0x87, 0x89, 0x8D, 0x00, 0x00, 0x20, 0x00]
}
#endif
