import Foundation
import IdentityStoreFormat

/// The launcher's shortcuts, and the configuration files that they are filed under.
enum Shortcuts {
    @Sendable static func read(_ input: FuzzInput) {
        let bytes = Array(input.data)
        if let shortcut = TokenShortcut(bytes) {
            guard let content = shortcut.content else {
                return rule(false, "a shortcut that was read cannot be written")
            }
            rule(TokenShortcut(content) == shortcut, "a shortcut is another when it is read again")
        }
        if let place = TokenShortcut.Place(configuration: bytes, profile: nil) {
            rule(place.file.hasPrefix(place.folder + "/"), "a shortcut lies elsewhere")
            rule(place != TokenShortcut.Place(configuration: bytes, profile: "other"), "two profiles share a shortcut")
            let named = TokenShortcut.Place(configuration: bytes, profile: nil, account: "work/ada")
            rule(named != nil && place != named, "an account shares the shortcut of the chosen one")
            rule(!input.text.contains("${"), "a configuration with a variable has a shortcut")
        }
        if let start = RecordEnvelope.start(in: bytes) { rule(start <= bytes.count, "a record begins behind its end") }
        _ = try? RecordEnvelope(opening: bytes)
    }
}
