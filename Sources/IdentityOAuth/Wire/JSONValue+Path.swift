import IdentityKit

extension JSONValue {
    /// The value at `path`, whose parts are separated by dots: names of members, and positions in lists, from 0.
    func value(at path: String) -> JSONValue? {
        path.split(separator: ".").reduce(self) { (value: JSONValue?, part) in
            switch value {
            case .object(let members): members[String(part)]
            case .array(let elements): Int(part).flatMap { elements.indices.contains($0) ? elements[$0] : nil }
            default: nil
            }
        }
    }

    /// A permanent identifier: a text of at most 255 bytes, or a whole number as text.
    var identifier: String? {
        switch self {
        case .string(let text) where 1...255 ~= text.utf8.count: text
        case .integer(let number): String(number)
        default: nil
        }
    }
}
