/// Asks the user for the input of a sign-in step, such as with a form in an app or at a terminal.
public protocol FlowPrompter: Sendable {
    /// Shows `prompt` and waits for the answer.
    /// - Throws: `CancellationError` when the user cancels. Every error ends the sign-in.
    func answer(_ prompt: SignInPrompt) async throws -> PromptAnswer
}

/// One step of a sign-in, as a provider wants it shown.
public struct SignInPrompt: Sendable, Equatable {
    /// The name of the provider that asks.
    public let provider: String
    /// The error of the step before, in words for the user; `nil` when there is none.
    public let problem: String?
    /// Text to show above the fields.
    public let message: String?
    /// The fields, in order.
    public let fields: [Field]
    /// The buttons, in order; the first is the default. Empty when the step has a single, unnamed button.
    public let actions: [Action]

    /// Describes a step.
    public init(
        provider: String, problem: String? = nil, message: String? = nil, fields: [Field], actions: [Action] = []
    ) {
        self.provider = provider
        self.problem = problem
        self.message = message
        self.fields = fields
        self.actions = actions
    }

    /// One input.
    public struct Field: Sendable, Equatable {
        /// The name of the value in the answer.
        public let identifier: String
        /// The label.
        public let label: String
        /// What the field holds.
        public let kind: Kind
        /// Whether the step fails without it.
        public let isRequired: Bool
        /// The options to choose from; empty for free text.
        public let options: [String]
        /// The error of the value before; `nil` when there is none.
        public let problem: String?

        /// Describes an input.
        public init(
            identifier: String, label: String, kind: Kind = .text, isRequired: Bool = true, options: [String] = [],
            problem: String? = nil
        ) {
            self.identifier = identifier
            self.label = label
            self.kind = kind
            self.isRequired = isRequired
            self.options = options
            self.problem = problem
        }

        /// What a field holds. It determines the keyboard, the echo and the system's suggestions.
        public enum Kind: String, Sendable, Equatable, CaseIterable {
            /// Any text.
            case text
            /// An account name.
            case username
            /// An e-mail address.
            case email
            /// A secret that is not echoed.
            case password
            /// A one-time code.
            case oneTimeCode
            /// A telephone number.
            case phone
            /// A number.
            case number
            /// A date.
            case date
            /// Yes or no, answered with `true` or `false`.
            case boolean
            /// One of the options.
            case choice

            /// Whether the input must not be shown while it is typed.
            public var isSecret: Bool { self == .password || self == .oneTimeCode }
        }
    }

    /// One button.
    public struct Action: Sendable, Equatable {
        /// The name of the action in the answer.
        public let identifier: String
        /// The label.
        public let label: String

        /// Describes a button.
        public init(identifier: String, label: String) {
            self.identifier = identifier
            self.label = label
        }
    }
}

/// The user's answer.
public struct PromptAnswer: Sendable, Equatable {
    /// The values by field identifier. All are treated as secrets.
    public let values: [String: Secret]
    /// The identifier of the chosen action; `nil` for the default.
    public let action: String?

    /// An answer.
    public init(values: [String: Secret], action: String? = nil) {
        self.values = values
        self.action = action
    }
}
