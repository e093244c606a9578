import IdentityKit

extension JSONValue {
    /// A number of seconds, written as a number or, as some servers do, as digits in a string; `nil` for anything else.
    var secondsValue: Double? {
        let seconds = numberValue ?? stringValue.flatMap(Double.init)
        return seconds.flatMap { $0.isNaN ? nil : $0 }
    }
}
