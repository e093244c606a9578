import IdentityKit

/// The configuration file and the profile given on the command line. Messages that suggest a command add both to the
/// command, so that a person can run it as shown.
final class NamedPlace: Sendable {
    private let named = Locked<(file: String?, profile: String?)>((nil, nil))

    func remember(file: String?, profile: String?) { named.withLock { $0 = (file, profile) } }

    /// Returns `text` with the given file and profile added, if `text` ends with a command of the tool; otherwise `text`
    /// unchanged.
    func completing(_ text: String) -> String {
        let (file, profile) = named.withLock { $0 }
        guard file != nil || profile != nil,
            let command = text.firstMatch(of: /: identity (?<words>[a-z][^\n]*)$/)?.words,
            IdentityCommand.configuration.subcommands.contains(where: {
                $0.configuration.commandName.map(command.hasPrefix) == true
            })
        else { return text }
        // `config check` takes the file as an argument instead of an option.
        let isCheck = command.hasPrefix("config check")
        return text + (file.map { (isCheck ? " " : " --config ") + $0.quotedForShell } ?? "")
            + (profile.map { " --profile " + $0.quotedForShell } ?? "")
    }
}
