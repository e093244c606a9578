import IdentityKit

/// The configuration and profile given on the command line. Commands that messages suggest repeat them, so that they
/// can be run as they are.
final class NamedPlace: Sendable {
    private let named = Locked<(file: String?, profile: String?)>((nil, nil))

    func remember(file: String?, profile: String?) { named.withLock { $0 = (file, profile) } }

    /// `text` with the given options added to the tool's command at its end.
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
