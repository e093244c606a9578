import Foundation

extension SignInPrompt {
    /// A page that a person may open.
    public struct Link: Sendable, Equatable {
        /// The text of the link.
        public let text: String
        public let url: URL

        public init(text: String, url: URL) {
            self.text = text
            self.url = url
        }
    }

    /// A picture.
    public struct Picture: Sendable, Equatable {
        /// The address of the picture.
        public let url: URL
        /// The text for people who do not see it; `nil` for decoration.
        public let description: String?

        public init(url: URL, description: String? = nil) {
            self.url = url
            self.description = description
        }
    }

    /// A text that a person keeps or passes on. It may be a secret, such as a recovery code.
    public struct TextToCopy: Sendable, Equatable {
        /// The text's name; `nil` where the provider names nothing.
        public let label: String?
        public let text: Secret

        public init(label: String? = nil, text: Secret) {
            self.label = label
            self.text = text
        }
    }

    /// A purpose that a person agrees to.
    public struct ConsentGroup: Sendable, Equatable {
        /// The purpose, in words for the person; `nil` where the provider gives none.
        public let purpose: String?
        /// The identifiers of the fields that belong to it, in order.
        public let fields: [String]

        public init(purpose: String?, fields: [String]) {
            self.purpose = purpose
            self.fields = fields
        }
    }
}

extension SignInPrompt.Action {
    /// How prominent a button is.
    public enum Rank: String, Sendable, Equatable, CaseIterable {
        /// The usual way on.
        case primary
        /// A way on beside it.
        case secondary
        /// A way that few people take, drawn as a text.
        case quiet
    }

    /// The purpose of a button.
    public enum Purpose: String, Sendable, Equatable, CaseIterable {
        /// Goes on, with what was typed.
        case goOn
        /// Takes another way, for which the fields need not be filled in.
        case otherWay
        /// Sends the code or the link again.
        case resend
        /// Uses or makes a passkey.
        case passkey
    }
}

extension SignInPrompt.Field {
    /// A rule for a value.
    public struct Rule: Sendable, Equatable {
        /// The shortest and the longest value, in characters.
        public let lengths: ClosedRange<Int>
        /// The words for a value that does not fit; `nil` for the screen's own.
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
        /// The password of an account.
        case password
        /// A password that is chosen now, which a manager may propose.
        case newPassword
        /// A code from a message.
        case oneTimeCode
        case telephoneNumber
    }

    /// The role of the field for whoever fills it in, by its kind; `nil` for a field that nothing fills in.
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

extension SignInPrompt.Link: CustomReflectable {
    /// Shows the address without its query.
    public var customMirror: Mirror { Mirror(self, showing: ["text": text, "url": url.addressAlone]) }
}

extension SignInPrompt.Picture: CustomReflectable {
    /// Shows the address without its query.
    public var customMirror: Mirror {
        Mirror(self, showing: ["url": url.addressAlone, "description": description as Any])
    }
}
