import Foundation

extension SignInPrompt {
    /// A part of a step that is neither an input nor a button.
    public enum Part: Sendable, Equatable {
        case paragraph(String)
        /// A link to a page that a person may open, such as terms of use, with the text of the link.
        case link(String, url: URL)
        /// A picture, with a description for people who cannot see it. The description of a merely decorative picture is `nil`.
        case picture(URL, description: String? = nil)
        /// A text that a person keeps or passes on, and its label. The text may be secret, such as a recovery code.
        case textToCopy(Secret, label: String? = nil)
        /// A consent to data processing. `purpose` explains the processing in words for the person; `nil` if the
        /// provider gives no purpose. `fields` contains the identifiers of the ``SignInPrompt/fields`` that belong to
        /// the consent, in the order in which to show them.
        case consent(purpose: String?, fields: [String])
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

    /// The purpose of a button. Only a button with the purpose ``goOn`` requires values and sends secrets.
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
        package let lengths: ClosedRange<Int>
        package let message: String?

        /// Makes a rule.
        /// - Parameters:
        ///   - lengths: the lengths that are allowed, in characters.
        ///   - message: the message for a value that breaks the rule; `nil` for the screen's own message.
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

extension SignInPrompt.Part: Reticent {
    /// Shows addresses without user name, password, query and fragment.
    package var shown: KeyValuePairs<String, Any> {
        switch self {
        case .paragraph(let text): ["paragraph": text]
        case .link(let text, let url): ["link": text, "url": url.addressAlone]
        case .picture(let url, let description):
            ["picture": url.addressAlone, "description": description as Any]
        case .textToCopy(let text, let label): ["textToCopy": text, "label": label as Any]
        case .consent(let purpose, let fields): ["consent": purpose as Any, "fields": fields]
        }
    }
}
