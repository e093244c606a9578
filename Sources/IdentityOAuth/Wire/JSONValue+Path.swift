import IdentityKit

extension JSONValue {
    /// Returns the value at `path`, which consists of names of members and positions in lists, separated by dots.
    /// Positions begin at 0. Returns `nil` if the path leads to no value.
    func value(at path: String) -> JSONValue? {
        path.split(separator: ".").reduce(self) { (value: JSONValue?, part) in
            switch value {
            case .object(let members): members[String(part)]
            case .array(let elements): Int(part).flatMap { elements.indices.contains($0) ? elements[$0] : nil }
            default: nil
            }
        }
    }

    /// The value as the permanent identifier of an account: a text of 1 to 255 bytes, or the digits of a whole number.
    /// `nil` for any other value.
    var identifier: String? {
        switch self {
        case .string(let text) where 1...255 ~= text.utf8.count: text
        case .integer(let number): String(number)
        default: nil
        }
    }
}
