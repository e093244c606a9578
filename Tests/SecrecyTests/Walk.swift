import Foundation
import Testing

/// Looks at values in every way in which somebody may print them, down to their last part.
struct Walk {
    /// The secrets that must not be found, as text and as bytes.
    let secrets: [String]
    /// The types that were met.
    private(set) var types: Set<String> = []
    private var seen: Set<ObjectIdentifier> = []

    init(lookingFor secrets: [String]) {
        self.secrets = secrets
    }

    /// Looks at `value` and all that its mirror shows.
    mutating func look(at value: Any, _ path: String? = nil) {
        let path = path ?? "\(type(of: value))"
        var dumped = ""
        dump(value, to: &dumped, maxItems: 10_000)
        var texts = [("print", "\(value)"), ("debug", String(reflecting: value)), ("dump", dumped)]
        texts.append(("optional", "\(Optional.some(value) as Any)"))
        texts.append(("array", "\([value])"))
        if let error = value as? any Error {
            texts += [("localized", error.localizedDescription), ("NSError", "\(error as NSError)")]
        }
        for (way, text) in texts { check(text, "\(way) of \(path)") }
        descend(Mirror(reflecting: value), of: value, path)
    }

    private mutating func descend(_ mirror: Mirror, of value: Any, _ path: String) {
        types.insert(Self.name(of: value))
        if let data = value as? Data {
            let bytes = [UInt8](data)
            for secret in secrets where Self.contains(bytes, [UInt8](secret.utf8)) {
                Issue.record("\(path) shows the bytes of a secret")
            }
            return
        }
        if let text = value as? String { check(text, path) }
        if type(of: value) is AnyClass {
            guard seen.insert(ObjectIdentifier(value as AnyObject)).inserted else { return }
        }
        if let ancestor = mirror.superclassMirror { descend(ancestor, of: value, path) }
        for child in mirror.children {
            descend(Mirror(reflecting: child.value), of: child.value, "\(path).\(child.label ?? "_")")
        }
    }

    private func check(_ text: String, _ origin: String) {
        for secret in secrets where text.contains(secret) {
            Issue.record("\(origin) shows a secret: \(text.prefix(600))")
        }
    }

    private static func contains(_ bytes: [UInt8], _ part: [UInt8]) -> Bool {
        bytes.count >= part.count
            && (0...bytes.count - part.count).contains { bytes[$0..<$0 + part.count] == part[...] }
    }

    /// The name of a value's type, without what it is generic over.
    private static func name(of value: Any) -> String {
        String(String(reflecting: type(of: value)).prefix { $0 != "<" })
    }
}
