#if os(Linux)
extension HostileRow {
    /// Interim responses (RFC 9110 section 15.2).
    static let interim: [HostileRow] = [
        HostileRow(
            "RFC 9110 15.2.1: a 100 that nobody asked for",
            bytes: "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}", .response(),
            body: "a=b"),
        HostileRow(
            "RFC 8297: fields of early hints are not those of the response",
            bytes: "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}",
            .response(200, "{}", ["Link": nil]), foundation: .fault("it mixes them")),
        HostileRow(
            "Fifty interim responses",
            bytes: String(repeating: "HTTP/1.1 102 Processing\r\n\r\n", count: 50)
                + "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}",
            .response()),
        HostileRow(
            "Interim responses without an end", .plain,
            .failure(["answer_too_large", "connection_lost"], neverSent: false),
            foundation: .fault("it reads them for ever")
        ) { connection in
            connection.readHead()
            while connection.write("HTTP/1.1 102 Processing\r\nX-Test: \(String(repeating: "a", count: 1000))\r\n\r\n")
            {}
        },
        HostileRow(
            "RFC 9110 15.2.2: a change of protocols that nobody asked for",
            bytes: "HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n\0\0\0\u{4}\0",
            .failure(["transport_failed", "connection_lost"], neverSent: false), foundation: .fault("it waits for ever")
        ),
        HostileRow(
            "An interim response and nothing behind it", bytes: "HTTP/1.1 100 Continue\r\n\r\n", .lost, body: "a=b"),
    ]

    /// Connections that end before, within or instead of a response.
    static let ends: [HostileRow] = [
        HostileRow("Reset when the request begins", .plain, .lost) { connection in
            connection.read(1)
            connection.reset()
        },
        HostileRow("Closed when it is accepted", .plain, .lost) { $0.end() },
        HostileRow("Closed after the request", bytes: "", .lost),
        HostileRow("Reset after the request", .plain, body: "a=b", .lost) { connection in
            connection.readHead()
            connection.reset()
        },
        HostileRow(
            "Closed within the status line", bytes: "HTTP/1.", .lost, foundation: .fault("it takes it as a body")),
        HostileRow(
            "Closed within the fields", bytes: "HTTP/1.1 200 OK\r\nContent-Le", .unreadable,
            foundation: .fault("it takes it as a response")),
        HostileRow("Reset within the fields", .plain, .lost) { connection in
            connection.readHead()
            connection.write("HTTP/1.1 200 OK\r\nContent-Le")
            connection.reset()
        },
        HostileRow("Reset within the body", .plain, .lost) { connection in
            connection.readHead()
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n{}")
            connection.reset()
        },
        HostileRow(
            "RFC 9112 9.5: an answer while the body is being sent", .plain,
            body: String(repeating: "a", count: 4 << 20),
            .response(413, "{}"), foundation: .fault("it loses the response")
        ) { connection in
            connection.readHead()
            connection.write("HTTP/1.1 413 Content Too Large\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}")
            connection.finishSending()
            connection.awaitEnd()
        },
        HostileRow("An answer before the body is read", .plain, body: "a=b", .response(401)) { connection in
            connection.readHead()
            connection.write("HTTP/1.1 401 Unauthorized\r\nContent-Length: 2\r\n\r\n{}")
        },
        HostileRow(
            "RFC 9110 15.5.9: 408 before any request", .plain, .response(408), foundation: .fault("it may lose it")
        ) { connection in
            connection.write("HTTP/1.1 408 Request Timeout\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}")
            connection.readHead()
        },
    ]

    private static func alert(_ description: UInt8, level: UInt8 = 2) -> [UInt8] {
        [21, 3, 3, 0, 2, level, description]
    }

    /// A handshake that a server answers with an alert (RFC 8446 section 6.2).
    private static func refused(_ name: String, _ description: UInt8) -> HostileRow {
        HostileRow(
            "RFC 8446 6.2: the alert \(name)", .tls, .failure(["insecure_connection"], neverSent: true)
        ) { connection in
            connection.read(5)
            connection.write(alert(description))
            connection.finishSending()
            connection.awaitEnd()
        }
    }

    /// Handshakes of TLS. No byte of a request leaves before one has ended.
    static let tls: [HostileRow] = [
        refused("handshake_failure", 40), refused("internal_error", 80), refused("unrecognized_name", 112),
        refused("protocol_version", 70), refused("certificate_required", 116),
        HostileRow(
            "A server that speaks no TLS", .tls, .failure(["insecure_connection"], neverSent: true)
        ) { connection in
            connection.read(5)
            connection.write("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
            connection.finishSending()
            connection.awaitEnd()
        },
        HostileRow(
            "Closed when the handshake begins", .tls, .failure(["insecure_connection"], neverSent: true),
            foundation: .fault("it cannot say that nothing was sent")
        ) { $0.read(5) },
        HostileRow(
            "Reset when the handshake begins", .tls, .failure(["insecure_connection"], neverSent: true),
            foundation: .fault("it cannot say that nothing was sent")
        ) { connection in
            connection.read(5)
            connection.reset()
        },
        HostileRow(
            "A record of TLS that is none", .tls, .failure(["insecure_connection"], neverSent: true),
            foundation: .fault("it cannot say that nothing was sent")
        ) { connection in
            connection.read(5)
            connection.write([22, 3, 3, 0xFF, 0xFF] + [UInt8](repeating: 7, count: 70_000))
        },
    ]

    private static func proxy(_ name: String, answer: String) -> HostileRow {
        HostileRow(
            name, .proxy, .failure(["request_not_sent"], neverSent: true), foundation: .notSpoken
        ) { connection in
            connection.readHead()
            connection.write(answer)
        }
    }

    /// Answers of a proxy to CONNECT (RFC 9110 section 9.3.6). No byte of a request leaves before the proxy has agreed.
    static let proxies: [HostileRow] = [
        proxy(
            "RFC 9110 9.3.6: a proxy that forbids it", answer: "HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno"),
        proxy(
            "RFC 9110 15.5.8: a proxy that wants a password",
            answer:
                "HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic\r\nContent-Length: 0\r\n\r\n"),
        proxy(
            "A proxy that cannot reach the host",
            answer: "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n"),
        proxy("A proxy that redirects", answer: "HTTP/1.1 302 Found\r\nLocation: http://a.example/\r\n\r\n"),
        proxy("A proxy that closes the connection", answer: ""),
        proxy("A proxy that speaks something else", answer: "SSH-2.0-OpenSSH_9\r\n"),
        HostileRow(
            "A proxy that resets the connection", .proxy, .failure(["request_not_sent"], neverSent: true),
            foundation: .notSpoken
        ) { connection in
            connection.readHead()
            connection.reset()
        },
        HostileRow(
            "A proxy that agrees and then closes", .proxy, .failure(["insecure_connection"], neverSent: true),
            foundation: .notSpoken
        ) { connection in
            connection.readHead()
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n")
            connection.read(5)
        },
    ]
}
#endif
