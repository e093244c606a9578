import IdentityKit

extension SettingQuestion {
    /// Whether `settings` have no answer to the question yet.
    func isOpen(beside settings: [String: JSONValue]) -> Bool {
        if case .settings(let others, _)? = standard, others.keys.contains(where: { settings[$0] != nil }) {
            return false
        }
        return path.reduce(JSONValue?.some(.object(settings))) { $0?[$1] } == nil
    }

    /// `settings` with the answer.
    func answered(_ answer: String, in settings: [String: JSONValue]) -> [String: JSONValue] {
        guard case .settings(let others, answer)? = standard else {
            return settings.replacing(path[...], with: .string(answer))
        }
        return settings.replacing(path[...], with: nil).merging(others) { given, _ in given }
    }

    private var path: [String] { setting.split(separator: ".").map(String.init) }
}

extension SettingQuestion.Standard {
    /// The answer, as the question shows it.
    fileprivate var text: String {
        switch self {
        case .answer(let text), .settings(_, let text): text
        }
    }
}

extension Question {
    init(_ setting: SettingQuestion) {
        self.init(
            name: setting.setting, meaning: setting.meaning, standard: setting.standard?.text,
            isSecret: setting.isSecret, setting: setting)
    }

    /// `settings` with the answer.
    func answered(_ answer: String, in settings: [String: JSONValue]) -> [String: JSONValue] {
        setting?.answered(answer, in: settings) ?? settings.merging([name: .string(answer)]) { $1 }
    }
}

extension [String: JSONValue] {
    fileprivate func replacing(_ path: ArraySlice<String>, with value: JSONValue?) -> Self {
        guard let key = path.first else { return self }
        var members = self
        members[key] =
            path.count == 1
            ? value : .object((self[key]?.objectValue ?? [:]).replacing(path.dropFirst(), with: value))
        return members
    }
}
