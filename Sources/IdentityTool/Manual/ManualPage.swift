/// The manual page, `identity(1)`, made from the parser's own description of the commands.
///
/// The parser's plug-in `GenerateManual` reads the same description, but needs a toolchain where the tool is installed. In
/// its pages, sections for the environment, files and exit statuses are missing, and examples lose their line breaks.
struct ManualPage {
    private let tool: CommandDescription
    private var page: [String] = []

    /// Returns the page in the markup language of `man` (man(7)).
    static func text(of tool: CommandDescription) -> String {
        var page = ManualPage(tool: tool)
        page.write()
        return page.page.joined(separator: "\n")
    }

    private init(tool: CommandDescription) { self.tool = tool }

    private mutating func write() {
        page.append(#".TH IDENTITY 1 "" "swift-identity \#(Version.current)" "User Commands""#)
        section("NAME")
        page.append(#"identity \- "# + Self.escaped(sentence(tool.abstract).lowercasedFirst))
        section("SYNOPSIS")
        page += [".B identity", ".I command", #"[\fIoptions\fR]"#]
        page += [".PP", #".B identity \-\-version"#]
        section("DESCRIPTION")
        text(Self.description)
        section("COMMANDS")
        for (words, command) in tool.runnable() { describe(command, words) }
        section("EXIT STATUS")
        for (status, meaning) in ExitStatus.meanings {
            item("\(status.rawValue)", sentence(meaning).capitalizedFirst + ".")
        }
        section("ENVIRONMENT")
        for (variable, meaning) in Self.variables { item(variable, meaning) }
        section("FILES")
        for (file, meaning) in Self.files { item(file, meaning) }
        section("EXAMPLES")
        example(tool.lines(under: "EXAMPLES"))
        section("SEE ALSO")
        page += [".BR curl (1),", ".BR jq (1),", #".BR secret\-tool (1)"#]
    }

    private mutating func describe(_ command: CommandDescription, _ words: [String]) {
        page.append(".SS \(Self.escaped(words.joined(separator: " ")))")
        page.append(Self.escaped(sentence(command.abstract)) + ".")
        for paragraph in command.paragraphs.split(separator: "") {
            page.append(".PP")
            text(paragraph.joined(separator: " "))
        }
        for argument in command.arguments ?? []
        where argument.shouldDisplay && !argument.isForEveryCommand {
            describe(argument)
        }
        let statuses = command.lines(under: "EXIT STATUS").filter { !$0.isEmpty }
        if !statuses.isEmpty {
            page += [".PP", "Exit status:", ".nf"] + statuses.map(Self.line) + [".fi"]
        }
        let examples = command.lines(under: "EXAMPLES")
        if examples.contains(where: { !$0.isEmpty }) {
            page += [".PP", "Examples:"]
            example(examples)
        }
    }

    private mutating func describe(_ argument: CommandDescription.Argument) {
        let value = argument.valueName.map { #"\fI\#(Self.escaped($0))\fR"# } ?? ""
        let dots = argument.isRepeating ? " ..." : ""
        page.append(".TP")
        switch argument.kind {
        case .positional: page.append(value + dots)
        case .flag: page.append(Self.names(argument))
        case .option: page.append("\(Self.names(argument)) \(value)")
        }
        var meaning = argument.abstract ?? ""
        if let usual = argument.defaultValue, argument.kind != .flag { meaning += " By default \(usual)." }
        text(meaning)
    }

    private static func names(_ argument: CommandDescription.Argument) -> String {
        (argument.names ?? []).map { #"\fB\#(escaped($0.spelling))\fR"# }.joined(separator: ", ")
    }

    private mutating func section(_ title: String) { page.append(".SH \(title)") }

    private mutating func item(_ term: String, _ meaning: String) {
        page += [".TP", ".B \(Self.escaped(term))"]
        text(meaning)
    }

    private mutating func text(_ text: String) { page += text.components(separatedBy: "\n").map(Self.line) }

    private mutating func example(_ lines: [String]) {
        page +=
            [".RS 4", ".nf"]
            + lines.drop { $0.isEmpty }.reversed().drop { $0.isEmpty }.reversed()
            .map { Self.line($0.hasPrefix("  ") ? String($0.dropFirst(2)) : $0) } + [".fi", ".RE"]
    }

    private func sentence(_ text: String?) -> String {
        let text = text ?? ""
        return text.hasSuffix(".") ? String(text.dropLast()) : text
    }

    /// Returns an escaped line. A leading period or quote is escaped too, so that `man` does not read the line as a
    /// request.
    private static func line(_ text: String) -> String {
        let escaped = escaped(text)
        return escaped.hasPrefix(".") || escaped.hasPrefix("'") ? #"\&"# + escaped : escaped
    }

    /// Returns `text` with the characters escaped that `man` would interpret, and with typographic characters replaced
    /// by ASCII.
    private static func escaped(_ text: String) -> String {
        text.replacingOccurrences(of: #"\"#, with: #"\e"#).replacingOccurrences(of: "-", with: #"\-"#)
            .replacingOccurrences(of: "…", with: "...").replacingOccurrences(of: "’", with: "'")
    }
}

extension String {
    fileprivate var lowercasedFirst: String { prefix(1).lowercased() + dropFirst() }
    fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}

extension ManualPage {
    fileprivate static let description = """
        Signs users in at the identity backends of a configuration, keeps their sessions in one sealed store, and gives
        access tokens to scripts and programs. A session is refreshed once for all processes.
        Results go to standard output, questions and errors to standard error, so that a result can be piped.
        Every command has --help; it ends with examples.
        """

    fileprivate static let variables = [
        ("IDENTITY_CONFIG", "The configuration file, without --config."),
        ("SWIFT_IDENTITY_PROFILE", "The profile of the configuration, without --profile."),
        (
            NamedAccount.variable,
            "The account to act for, without --account: its identifier, which exec gives to its command, or a name."
        ),
        (
            "SWIFT_IDENTITY_PROVIDER",
            "The providers to use: names separated by commas in their order, or names with a leading - to leave out."
        ),
        (
            "SWIFT_IDENTITY_TRANSPORT",
            "Set it to urlsession to send requests with Foundation's client on Linux."
        ),
        ("SWIFT_IDENTITY_TOKEN", "The token that exec gives to its command, and that environment-token reads."),
        (
            "SWIFT_IDENTITY__PROVIDER__SETTING",
            "Overrides one setting of one provider of the configuration. The provider's name may be written in capitals;"
                + " store stands for the store."
        ),
        ("XDG_CONFIG_HOME", "The folder of configurations. The default is ~/.config."),
        ("XDG_STATE_HOME", "The folder of new stores. The default is ~/.local/state."),
        ("XDG_CACHE_HOME", "The folder of shortcuts to stored tokens. The default is ~/.cache."),
        (
            "BROWSER",
            "The program that opens sign-in pages, or several with colons between them. Each may have arguments; %s stands"
                + " for the address."
        ),
        ("NO_COLOR", "Any value turns colours off."),
    ]

    fileprivate static let files = [
        ("$XDG_CONFIG_HOME/identity/identity.json", "The configuration."),
        ("$XDG_STATE_HOME/identity", "The store that config init sets."),
        (
            "$XDG_CACHE_HOME/identity/shortcuts",
            "Where a configuration's stored token is: paths and names, no secrets. Can be deleted at any time."
        ),
    ]
}
