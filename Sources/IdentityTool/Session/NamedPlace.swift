import IdentityKit

/// The configuration file and the profile given on the command line, and the provider of a session that needs a sign-in.
/// Messages that suggest a command add these values as options, so that a person can run the command as shown.
final class NamedPlace: Sendable {
    private let named = Locked<(file: String?, profile: String?, provider: String?)>((nil, nil, nil))

    func remember(file: String?, profile: String?) { named.withLock { ($0.file, $0.profile) = (file, profile) } }

    func remember(provider: String) { named.withLock { $0.provider = provider } }

    /// If `text` ends with a command of the tool, such as `: identity whoami`, returns it with the given file and profile as
    /// options. Also adds the provider to a `login` without `--provider`. Returns any other text unchanged.
    func completing(_ text: String) -> String {
        let (file, profile, provider) = named.withLock { $0 }
        guard file != nil || profile != nil || provider != nil,
            let command = text.firstMatch(of: /: identity (?<words>[a-z][^\n]*)$/)?.words,
            IdentityCommand.configuration.subcommands.contains(where: {
                $0.configuration.commandName.map(command.hasPrefix) == true
            })
        else { return text }
        // `config check` takes the file as an argument instead of an option.
        let isCheck = command.hasPrefix("config check")
        let needsProvider = command.hasPrefix("login") && !command.contains("--provider ")
        return text + (needsProvider ? provider.map { " --provider " + $0.quotedForShell } ?? "" : "")
            + (file.map { (isCheck ? " " : " --config ") + $0.quotedForShell } ?? "")
            + (profile.map { " --profile " + $0.quotedForShell } ?? "")
    }
}
