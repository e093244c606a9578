import Foundation

/// A step of a sign-in, as a provider wants it shown.
public struct SignInPrompt: Sendable, Equatable {
    /// The name of the provider that asks.
    public let provider: String
    /// Message about an error in the preceding step; `nil` when there was none.
    public let problem: String?
    /// Text to show above the fields.
    public let message: String?
    /// Title of the step; `nil` if the provider gives none.
    public var title: String?
    /// Texts after ``message``, in order.
    public var paragraphs: [String] = []
    /// Pages that a person may open, such as terms of use, in order.
    public var links: [Link] = []
    /// Pictures to show above the fields, in order.
    public var pictures: [Picture] = []
    /// Texts that a person keeps or passes on, such as recovery codes, in order.
    public var textsToCopy: [TextToCopy] = []
    /// The purposes for which consent is requested. Their fields are among ``fields``.
    public var consents: [ConsentGroup] = []
    /// The fields, in order.
    public let fields: [Field]
    /// The buttons, in order; the first is the default. Empty when the step has a single, unnamed button.
    public let actions: [Action]

    public init(
        provider: String, problem: String? = nil, message: String? = nil, fields: [Field], actions: [Action] = []
    ) {
        self.provider = provider
        self.problem = problem
        self.message = message
        self.fields = fields
        self.actions = actions
    }

    /// An input of a step.
    public struct Field: Sendable, Equatable {
        /// The name of the value in the answer.
        public let identifier: String
        public let label: String
        /// The kind of value that the field holds.
        public let kind: Kind
        /// Whether the step fails when the field is empty.
        public let isRequired: Bool
        /// The options to choose from; empty for free text.
        public let options: [String]
        /// Message about the last value of the field; `nil` when it was correct.
        public let problem: String?
        /// Placeholder shown while the field is empty; `nil` for none.
        public var placeholder: String?
        /// Rules for the value, checked before sending. The server has the final say.
        public var rules: [Rule] = []
        /// Whether the value is created by this step, such as a newly chosen password.
        public var isNew = false

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

        /// The kind of value in a field. It determines the keyboard, the echo and the system's suggestions.
        public enum Kind: String, Sendable, Equatable, CaseIterable {
            case text
            case username
            case email
            /// A secret that is not echoed.
            case password
            case oneTimeCode
            case phone
            case number
            case date
            /// Yes or no, answered with `true` or `false`.
            case boolean
            /// A choice among the options.
            case choice

            /// Whether to hide the input while it is typed.
            public var isSecret: Bool { self == .password || self == .oneTimeCode }
        }
    }

    /// A button of a step.
    public struct Action: Sendable, Equatable {
        /// The name of the action in the answer.
        public let identifier: String
        public let label: String
        /// How prominent the button is; `nil` means primary for the first button, secondary for others.
        public var rank: Rank?
        public var purpose: Purpose
        /// Time from which the button can be used, such as a minute after a code was mailed; `nil` for at once.
        public var availableAfter: Date?

        public init(
            identifier: String, label: String, rank: Rank? = nil, purpose: Purpose = .goOn,
            availableAfter: Date? = nil
        ) {
            self.identifier = identifier
            self.label = label
            self.rank = rank
            self.purpose = purpose
            self.availableAfter = availableAfter
        }
    }
}
