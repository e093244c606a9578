import IdentityKit

extension IdentityConfiguration {
    /// Describes the configuration in lines of text. Strings whose keys suggest secrets are hidden.
    func summary(in call: ToolCall) -> [String] {
        var lines = ["sessions: \(store.inWords(in: call))"]
        for (index, provider) in providers.enumerated() {
            lines.append("\(index + 1). \(provider.name) (\(provider.type))")
            lines += settings(provider.settings, indentation: "     ") + policies(of: provider)
        }
        if onSessionEnd == .fallBack { lines.append("when the session of the active account ends: the next provider") }
        if !routesByDestination { lines.append("requests go by the active account, whoever names their address") }
        return lines
    }

    private func settings(_ value: JSONValue, indentation: String) -> [String] {
        (value.objectValue ?? [:]).sorted { $0.key < $1.key }.flatMap { key, value in
            value.objectValue == nil
                ? ["\(indentation)\(key): \(shown(value, under: key))"]
                : ["\(indentation)\(key):"] + settings(value, indentation: indentation + "  ")
        }
    }

    private func policies(of provider: ProviderConfiguration) -> [String] {
        var policies: [String] = []
        if provider.fallsBackWhenUnavailable {
            policies.append("a new sign-in uses the next provider while this one cannot be reached")
        }
        let deadline = provider.silentDeadline
        if deadline != .standard {
            let seconds = deadline.seconds
            let number = seconds == seconds.rounded() ? "\(Int(seconds))" : "\(seconds)"
            policies.append(
                "after \(number) seconds without a silent result: "
                    + (deadline.policy == .stop ? "an error" : "the next provider"))
        }
        if !provider.sendsTo.isEmpty {
            policies.append("its tokens go to: " + provider.sendsTo.map(\.absoluteString).joined(separator: ", "))
        }
        return policies.map { "     \($0)" }
    }

    /// Returns `value` as text. Hides a string whose key suggests a secret, but shows references such as `${NAME}`.
    private func shown(_ value: JSONValue, under key: String) -> String {
        let isSecret = ["token", "secret", "password", "key"].contains { key.lowercased().contains($0) }
        switch value {
        case .string(let text) where text.wholeMatch(of: /\$\{[^${}]+\}/) != nil: return text
        case .string(let text): return isSecret ? "<redacted>" : text
        case .bool(let isSet): return isSet ? "true" : "false"
        case .integer(let number): return "\(number)"
        case .number(let number): return "\(number)"
        case .array(let elements): return elements.map { shown($0, under: key) }.joined(separator: ", ")
        case .null, .object: return "-"
        }
    }
}

extension StoreConfiguration {
    /// Describes where sessions are stored and how they are encrypted, as part of a sentence.
    func inWords(in call: ToolCall) -> String {
        let context = call.storeContext
        let place = (try? call.stores.place(of: self, in: context)) ?? "in a store of the type \(type)"
        guard let key = files?.key else { return place }
        return "\(place)\(target(in: context).map { ", a link to \($0)" } ?? ""), \(keyInWords(key, in: context))"
    }
}

extension StoreConfiguration {
    /// The target of the store's folder, if the folder is a symbolic link; otherwise `nil`.
    private func target(in context: StoreContext) -> String? {
        guard let place = try? place(in: context), place.folder != place.path else { return nil }
        return place.folder
    }
}

extension StoreConfiguration {
    /// Describes where the key is kept, as far as that is known without opening the store.
    private func keyInWords(_ key: Key, in context: StoreContext) -> String {
        switch key {
        case .keyFile, .automatic:
            do {
                if let files = try filesSealedWithKeyFile(in: context) {
                    return "sealed with a key in \(files.keyFile)"
                }
                return "sealed with a key in the system's keyring"
            } catch {
                return "sealed with a key"
            }
        case .secretService: return "sealed with a key in the desktop's keyring"
        case .keychain(_, .none): return "sealed with a key in the Keychain"
        case .keychain: return "sealed with a key in the Keychain that a person opens"
        case .allowUnencryptedStorage: return "not sealed"
        }
    }
}
