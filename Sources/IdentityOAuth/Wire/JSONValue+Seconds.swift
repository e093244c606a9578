import IdentityKit

extension JSONValue {
    /// The value as a number of seconds, which some servers write as a string; `nil` for any other value.
    var secondsValue: Double? {
        let seconds = numberValue ?? stringValue.flatMap(Double.init)
        return seconds.flatMap { $0.isNaN ? nil : $0 }
    }
}
