#if os(Linux)
/// Frames of HTTP/2 (RFC 9113 section 4), as a server without any rules sends them.
package enum HTTP2 {
    package static let prefaceLength = 24

    package static func frame(_ type: UInt8, flags: UInt8 = 0, stream: UInt32 = 0, _ payload: [UInt8] = []) -> [UInt8] {
        [UInt8(payload.count >> 16 & 255), UInt8(payload.count >> 8 & 255), UInt8(payload.count & 255), type, flags]
            + number(stream) + payload
    }

    package static func number(_ value: UInt32) -> [UInt8] { (0..<4).map { UInt8(value >> (24 - 8 * $0) & 255) } }

    package static func data(_ text: String, ends: Bool = true, stream: UInt32 = 1) -> [UInt8] {
        frame(0, flags: ends ? 1 : 0, stream: stream, [UInt8](text.utf8))
    }

    /// A whole header section of literal fields (RFC 7541 section 6.2.2).
    package static func headers(_ fields: [(String, String)], ends: Bool = false, stream: UInt32 = 1) -> [UInt8] {
        frame(1, flags: 4 | (ends ? 1 : 0), stream: stream, block(fields))
    }

    package static func block(_ fields: [(String, String)]) -> [UInt8] {
        var block: [UInt8] = []
        for (name, value) in fields {
            block += [0, UInt8(name.utf8.count)]
            block += name.utf8
            block.append(UInt8(value.utf8.count))
            block += value.utf8
        }
        return block
    }

    package static func reset(_ error: UInt32, stream: UInt32 = 1) -> [UInt8] {
        frame(3, stream: stream, number(error))
    }

    package static func settings(_ values: [(UInt16, UInt32)] = []) -> [UInt8] {
        frame(4, values.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] + number($1) })
    }

    package static func goAway(lastStream: UInt32, error: UInt32 = 0) -> [UInt8] {
        frame(7, number(lastStream) + number(error))
    }

    package static func windowUpdate(_ size: UInt32, stream: UInt32 = 0) -> [UInt8] {
        frame(8, stream: stream, number(size))
    }
}

extension RawConnection {
    /// Reads the preface and frames until the header section of a request, and answers with settings.
    /// - Returns: the stream of the request.
    @discardableResult
    package func readHTTP2Head(settings: [(UInt16, UInt32)] = []) -> UInt32? {
        guard read(HTTP2.prefaceLength) != nil else { return nil }
        write(HTTP2.settings(settings))
        return readHTTP2Headers()
    }

    package func readHTTP2Headers() -> UInt32? {
        while let head = read(9), read(Int(head[0]) << 16 | Int(head[1]) << 8 | Int(head[2])) != nil {
            if head[3] == 4, head[4] == 0 { write(HTTP2.frame(4, flags: 1)) }
            if head[3] == 1 { return head[5...].reduce(0) { $0 << 8 | UInt32($1) } }
        }
        return nil
    }
}
#endif
