import IdentityCore

/// An error of the package and its message.
struct ProvokedMessage {
    /// `Type`, or `Type.case` for a case of an enumeration.
    let name: String
    let text: String

    /// Name and message in one line.
    var line: String { "\(name): \(text.replacing("\n", with: "\\n"))" }

    /// Named as Swift prints the value's type and case.
    init(_ error: any IdentityFailure) {
        self.init(naming: error, error.message)
    }

    /// Named by `value`, which is part of the error that says `text`.
    init(naming value: Any, _ text: String) {
        let mirror = Mirror(reflecting: value)
        let isEnum = mirror.displayStyle == .enum
        name = "\(type(of: value))" + (isEnum ? ".\(mirror.children.first?.label ?? "\(value)")" : "")
        self.text = text
    }

    /// For a type that hides its cases from reflection.
    init(name: String, _ text: String) {
        (self.name, self.text) = (name, text)
    }

    static func all() throws -> [ProvokedMessage] {
        let plain = try core() + kit() + storing() + configuration() + providers() + tool() + surroundings()
        return plain.map { ProvokedMessage($0) } + oauth() + (try oauthReasons())
    }
}
