import IdentityKit

extension SettingQuestion {
    /// Whether `settings` contain neither an answer to the question nor any of the settings that replace an answer.
    func isOpen(beside settings: [String: JSONValue]) -> Bool {
        if case .settings(let others, _)? = standard, others.keys.contains(where: { settings[$0] != nil }) {
            return false
        }
        return path.reduce(JSONValue?.some(.object(settings))) { $0?[$1] } == nil
    }

    /// Returns `settings` with the answer at the key path of the question's setting. If `answer` is the name of a default
    /// that stands for other settings, those settings are added in place of the answer, except where they are already set.
    func answered(_ answer: String, in settings: [String: JSONValue]) -> [String: JSONValue] {
        guard case .settings(let others, answer)? = standard else {
            return settings.replacing(path[...], with: .string(answer))
        }
        return settings.replacing(path[...], with: nil).merging(others) { given, _ in given }
    }

    private var path: [String] { setting.split(separator: ".").map(String.init) }
}

extension SettingQuestion.Standard {
    /// The default answer, as the question shows it.
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

    /// Returns `settings` with the answer. For a question without a setting, stores the answer under its name.
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
