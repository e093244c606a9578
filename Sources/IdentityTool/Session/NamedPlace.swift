import IdentityKit

/// The configuration and the profile that a command line names. The commands that it prints name them as well, so that they
/// can be run as they are.
final class NamedPlace: Sendable {
    private let named = Locked<(file: String?, profile: String?)>((nil, nil))

    func remember(file: String?, profile: String?) { named.withLock { $0 = (file, profile) } }

    /// `text`, whose command of the tool at its end names what was named.
    func completing(_ text: String) -> String {
        let (file, profile) = named.withLock { $0 }
        guard file != nil || profile != nil,
            let command = text.firstMatch(of: /: identity (?<words>[a-z][^\n]*)$/)?.words,
            IdentityCommand.configuration.subcommands.contains(where: {
                $0.configuration.commandName.map(command.hasPrefix) == true
            })
        else { return text }
        // A check takes its file without an option.
        let isCheck = command.hasPrefix("config check")
        return text + (file.map { (isCheck ? " " : " --config ") + $0.quotedForShell } ?? "")
            + (profile.map { " --profile " + $0.quotedForShell } ?? "")
    }
}
