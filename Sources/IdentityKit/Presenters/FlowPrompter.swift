/// Asks a person for the input a sign-in step needs: a form in an app, questions in a terminal, a script in a test.
public protocol FlowPrompter: Sendable {
    /// Shows `prompt` and waits for the answer.
    /// - Throws: `CancellationError` when the person gives up. Any other error ends the sign-in with it.
    func answer(_ prompt: SignInPrompt) async throws -> PromptAnswer
}

/// One step of a sign-in, as a provider wants it shown.
public struct SignInPrompt: Sendable, Equatable {
    /// The name of the provider that asks.
    public let provider: String
    /// What went wrong in the step before, in words for the person; `nil` at first.
    public let problem: String?
    /// Text to show above the fields.
    public let message: String?
    /// The fields, in order.
    public let fields: [Field]
    /// The buttons, in order; the first is the usual one. Empty when the step has a single, unnamed way on.
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
        /// The name under which the answer is returned.
        public let identifier: String
        /// What to write beside the input.
        public let label: String
        /// How to show it.
        public let kind: Kind
        /// Whether the step fails without it.
        public let isRequired: Bool
        /// What to choose from; empty for free text.
        public let options: [String]
        /// What is wrong with the value given before; `nil` when nothing is.
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

        /// What a field holds. It decides the keyboard, the echo and what the system offers to fill in.
        public enum Kind: String, Sendable, Equatable, CaseIterable {
            /// Any text.
            case text
            /// An account name.
            case username
            /// An e-mail address.
            case email
            /// A secret that is not echoed.
            case password
            /// A one-time code, a secret of a short life.
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
        /// The name under which the choice is returned.
        public let identifier: String
        /// What to write on it.
        public let label: String

        /// Describes a button.
        public init(identifier: String, label: String) {
            self.identifier = identifier
            self.label = label
        }
    }
}

/// What the person answered.
public struct PromptAnswer: Sendable, Equatable {
    /// The values by field identifier. All are treated as secrets.
    public let values: [String: Secret]
    /// The identifier of the chosen action; `nil` for the usual one.
    public let action: String?

    /// An answer.
    public init(values: [String: Secret], action: String? = nil) {
        self.values = values
        self.action = action
    }
}
