import Foundation

/// A step of a sign-in that a provider asks an app to show: texts, fields and buttons.
public struct SignInPrompt: Sendable, Equatable {
    /// The name of the provider that asks, usually as in the configuration.
    public let provider: String
    /// Message about an error in the preceding step; `nil` when there was none.
    public let problem: String?
    /// Text to show above the fields; `nil` for none.
    public let message: String?
    /// Title of the step; `nil` if the provider gives none.
    public var title: String?
    /// Texts, links, pictures, texts to copy and purposes of consent, to show between ``message`` and the fields, in order.
    /// A sign-in screen shows the pictures above ``problem`` and ``message``. A consent has no row of its own there,
    /// because each of its fields has a row.
    public var parts: [Part] = []
    /// The inputs of the step, in the order to show them; empty for a step with only buttons.
    public let fields: [Field]
    /// The buttons, in order. In a terminal, the first button is the default. On a sign-in screen, the primary button
    /// is the default (``Action/rank``). If there are no buttons here, a sign-in screen shows the single button
    /// ``ScreenTexts/Key/goOn``.
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

    /// An input of a step, such as a text, a date or a choice.
    public struct Field: Sendable, Equatable {
        /// The key of the field's value in ``PromptAnswer/values``.
        public let identifier: String
        public let label: String
        /// The kind of value to enter, by default `text`.
        public let kind: Kind
        /// Whether the person must enter a value to continue. On a screen, an untouched switch counts as `false`.
        public let isRequired: Bool
        /// The values to choose from; empty if the field accepts any value.
        public let options: [String]
        /// Message about an error in the value that was entered before; `nil` when there was none.
        public let problem: String?
        /// Placeholder shown while the field is empty; `nil` for none.
        public var placeholder: String?
        /// Rules that a sign-in screen checks before it sends the value. A terminal leaves the check to the server.
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

        /// The kind of value in a field. The kind determines the keyboard, whether the input is hidden, and the
        /// suggestions of the system.
        public enum Kind: String, Sendable, Equatable, CaseIterable {
            case text
            case username
            case email
            /// A secret that is hidden while it is typed.
            case password
            case oneTimeCode
            case phone
            case number
            case date
            /// Yes or no, answered with `true` or `false`.
            case boolean
            /// A choice among the field's `options`.
            case choice

            /// Whether the value is a secret. A sign-in screen forgets the value after the step, and a terminal hides it
            /// while it is typed.
            public var isSecret: Bool { self == .password || self == .oneTimeCode }
        }
    }

    /// A button of a step, such as one that continues, or one that sends a code again.
    public struct Action: Sendable, Equatable {
        /// The value of ``PromptAnswer/action`` when the person chooses this button.
        public let identifier: String
        public let label: String
        /// How prominent the button is. `nil` means secondary, but if no button of the step is primary, the first button
        /// without a rank becomes primary.
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
