import Foundation

/// Splits a body of `text/event-stream` into the data of its events (WHATWG HTML section 9.2.6).
///
/// Skips events without data, events of a type other than `message`, and an unfinished event at the end of the body.
struct EventStreamReader {
    /// The limit, in bytes, of the data of an event together with the line that is being read.
    let limit: Int
    /// Identifier of the latest event, for the `Last-Event-ID` header; `nil` if the server sends none.
    private(set) var lastID: String?
    /// The time to wait before reconnecting, an hour at most; `nil` if the server names none.
    private(set) var pause: Duration?
    private var id: String?
    private var line = Data()
    private var data: Data?
    private var isMessage = true
    private var isFirstLine = true
    /// Whether the latest line ended with a carriage return. A line feed after it belongs to the same line break.
    private var followsReturn = false

    init(limit: Int) { self.limit = limit }

    /// Makes a reader for the stream that continues an ended one, with the event identifier and the pause of `former`.
    init(after former: EventStreamReader) {
        self.init(limit: former.limit)
        (lastID, id, pause) = (former.lastID, former.lastID, former.pause)
    }

    private static let lineFeed = UInt8(ascii: "\n")
    private static let carriageReturn = UInt8(ascii: "\r")

    /// Returns the data of the events that `part`, the next bytes of the body, completes.
    /// - Throws: ``EventTooLargeError``.
    mutating func events(with part: Data) throws(EventTooLargeError) -> [Data] {
        var (rest, events) = (part[...], [Data]())
        while let first = rest.first {
            if followsReturn, first == Self.lineFeed {
                rest = rest.dropFirst()
                followsReturn = false
                continue
            }
            followsReturn = false
            let end = rest.firstIndex { $0 == Self.lineFeed || $0 == Self.carriageReturn }
            line += rest[..<(end ?? rest.endIndex)]
            guard line.count + (data?.count ?? 0) <= limit else { throw EventTooLargeError() }
            guard let end else { break }
            followsReturn = rest[end] == Self.carriageReturn
            rest = rest[(end + 1)...]
            if let event = endLine() { events.append(event) }
        }
        return events
    }

    /// - Returns: the data of an event that the line completes; otherwise `nil`.
    private mutating func endLine() -> Data? {
        var text = line[...]
        line = Data()
        if isFirstLine { text = text.withoutByteOrderMark }
        isFirstLine = false
        guard !text.isEmpty else {
            defer { (data, isMessage) = (nil, true) }
            lastID = id
            // An event without data only sets the identifier.
            return isMessage && data?.isEmpty == false ? data : nil
        }
        let name = text.prefix { $0 != UInt8(ascii: ":") }
        var value = text.dropFirst(name.count + 1)
        if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
        // The known names have at most 5 bytes, so a prefix of 6 bytes is enough. Comparing a very long name could take time
        // that grows with the square of its length.
        switch String(decoding: name.prefix(6), as: UTF8.self) {
        case "data":
            // Append in place, because an event may have millions of lines.
            if data == nil { data = Data() } else { data?.append(Self.lineFeed) }
            data?.append(value)
        case "id":
            let text = String(decoding: value, as: UTF8.self)
            if !value.contains(0) { id = text.isEmpty ? nil : text }
        case "retry":
            let text = String(decoding: value, as: UTF8.self)
            if text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let milliseconds = Int(text) {
                pause = .milliseconds(min(milliseconds, 3_600_000))
            }
        case "event": isMessage = value.isEmpty || value.elementsEqual("message".utf8)
        default: break
        }
        return nil
    }
}

extension Data {
    /// The bytes without the UTF-8 byte order mark at the beginning, if there is one.
    var withoutByteOrderMark: Data { starts(with: [0xEF, 0xBB, 0xBF]) ? dropFirst(3) : self }
}

/// An event is larger than the limit of an ``EventStreamReader``.
struct EventTooLargeError: Error {}
