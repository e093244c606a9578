import Foundation

extension SignInPrompt {
    /// A link to a page that a person may open, such as terms of use.
    public struct Link: Sendable, Equatable {
        public let text: String
        public let url: URL

        public init(text: String, url: URL) {
            self.text = text
            self.url = url
        }
    }

    /// A picture that the provider wants shown above the fields.
    public struct Picture: Sendable, Equatable {
        public let url: URL
        /// Description for people who do not see the picture; `nil` for decoration.
        public let description: String?

        public init(url: URL, description: String? = nil) {
            self.url = url
            self.description = description
        }
    }

    /// A text that a person keeps or passes on. It may be secret, such as a recovery code.
    public struct TextToCopy: Sendable, Equatable {
        /// Label of the text; `nil` if the provider gives none.
        public let label: String?
        public let text: Secret

        public init(label: String? = nil, text: Secret) {
            self.label = label
            self.text = text
        }
    }

    /// A purpose of data processing to which a person consents.
    public struct ConsentGroup: Sendable, Equatable {
        /// The purpose, in words for the person; `nil` if the provider gives none.
        public let purpose: String?
        /// The identifiers of the fields that belong to the purpose, in the order in which to show them.
        public let fields: [String]

        public init(purpose: String?, fields: [String]) {
            self.purpose = purpose
            self.fields = fields
        }
    }
}

extension SignInPrompt.Action {
    /// The prominence of a button on the screen.
    public enum Rank: String, Sendable, Equatable, CaseIterable {
        /// The usual way to continue.
        case primary
        /// An alternative to the usual way.
        case secondary
        /// An alternative that few people need, drawn as text.
        case quiet
    }

    /// The purpose of a button. Every purpose except ``goOn`` requires no values, and sends no secrets.
    public enum Purpose: String, Sendable, Equatable, CaseIterable {
        /// Continues with the entered values, which are checked before they are sent.
        case goOn
        /// Continues in another way, such as with another kind of sign-in.
        case otherWay
        /// Sends the code or the link again.
        case resend
        /// Signs in with a passkey, or creates one.
        case passkey
    }
}

extension SignInPrompt.Field {
    /// A limit for the length of a field's value, with the message to show when a value breaks it.
    public struct Rule: Sendable, Equatable {
        /// The lengths that are allowed, in characters.
        public let lengths: ClosedRange<Int>
        /// Message for a value that breaks the rule; `nil` for the screen's own message.
        public let message: String?

        public init(lengths: ClosedRange<Int>, message: String? = nil) {
            self.lengths = lengths
            self.message = message
        }
    }

    /// A value that a password manager or a keyboard may fill in.
    public enum AutofillRole: String, Sendable, Equatable, CaseIterable {
        /// The name of an account.
        case username
        case emailAddress
        case password
        /// A new password, which a password manager may generate.
        case newPassword
        /// A code from a message.
        case oneTimeCode
        case telephoneNumber
    }

    /// The role of the field for password managers and keyboards, by its kind; `nil` for a field that they do not fill
    /// in.
    public var autofill: AutofillRole? {
        switch kind {
        case .username: .username
        case .email: .emailAddress
        case .password: isNew ? .newPassword : .password
        case .oneTimeCode: .oneTimeCode
        case .phone: .telephoneNumber
        case .text, .number, .date, .boolean, .choice: nil
        }
    }
}

extension SignInPrompt.Link: Reticent {
    /// Shows the address without user name, password, query and fragment.
    package var shown: KeyValuePairs<String, Any> { ["text": text, "url": url.addressAlone] }
}

extension SignInPrompt.Picture: Reticent {
    /// Shows the address without user name, password, query and fragment.
    package var shown: KeyValuePairs<String, Any> { ["url": url.addressAlone, "description": description as Any] }
}
