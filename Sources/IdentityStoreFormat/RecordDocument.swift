/// The JSON document in a record's envelope: the record's collection, name, generation and content. A property is `nil`
/// when the document lacks its member; the generation is also `nil` when its number is negative or not whole.
package struct RecordDocument {
    package private(set) var collection: String?
    package private(set) var name: String?
    package private(set) var generation: UInt64?
    /// Base64 form of the content; `nil` for an erased record.
    package private(set) var content: String?

    /// Reads a document.
    /// - Parameters:
    ///   - reader: a reader at the start of the document. The call moves the reader to the end of the document.
    ///   - readOther: reads the value of an unknown member, such as one of a later version; by default, skips the value.
    /// - Throws: ``JSONReader/SyntaxError``, also when the document repeats the member `content`, `generation` or `key`.
    package init(
        _ reader: inout JSONReader,
        readOther: (String, inout JSONReader) throws(JSONReader.SyntaxError) -> Void = {
            _, reader throws(JSONReader.SyntaxError) in try reader.skip()
        }
    ) throws(JSONReader.SyntaxError) {
        try reader.members { member, reader throws(JSONReader.SyntaxError) in
            switch member {
            case "content":
                guard content == nil else { throw .duplicateMember(member) }
                content = try reader.string()
            case "generation":
                guard generation == nil else { throw .duplicateMember(member) }
                generation = try reader.number().wholeValue.flatMap(UInt64.init(exactly:))
            case "key":
                guard collection == nil, name == nil else { throw .duplicateMember(member) }
                try readKey(&reader)
            default: try readOther(member, &reader)
            }
        }
    }

    private mutating func readKey(_ reader: inout JSONReader) throws(JSONReader.SyntaxError) {
        try reader.members { member, reader throws(JSONReader.SyntaxError) in
            switch member {
            case "collection": collection = try reader.string()
            case "name": name = try reader.string()
            default: try reader.skip()
            }
        }
    }
}
