import Foundation
import IdentityKit

/// The kinds of inputs, and labels for inputs and actions without a label from the server.
extension FlowInput {
    /// The kind of field for the input's type. An input of a type that is not listed here is a user name if its name is
    /// `username`, or else a text.
    package var kind: SignInPrompt.Field.Kind {
        switch type {
        case "PASSWORD_INPUT": .password
        case "OTP_INPUT": .oneTimeCode
        case "EMAIL_INPUT": .email
        case "PHONE_INPUT": .phone
        case "NUMBER_INPUT": .number
        case "DATE_INPUT": .date
        case "BOOLEAN_INPUT": .boolean
        case "SELECT", "OU_SELECT": .choice
        default: name == "username" ? .username : .text
        }
    }

    /// The label of the field: the server's, or else the readable name.
    package var title: String { label ?? name.readable }
}

extension FlowAction {
    /// The label of the button: the server's label, or else the readable name. `Continue` if there is no label from the server
    /// and the name is only a number.
    package var title: String {
        if let label { return label }
        return switch name.lowercased() {
        case "signin": "Sign in"
        case "signup": "Sign up"
        default: isNamed ? name.readable : "Continue"
        }
    }

    /// Whether the identifier, without its prefix `action_`, is more than a number and so can serve as a label.
    package var isNamed: Bool { !name.allSatisfy(\.isNumber) }

    private var name: String { id.hasPrefix("action_") ? String(id.dropFirst("action_".count)) : id }
}

extension String {
    /// A readable form of a name: `given_name` and `givenName` become `Given name`, `userID` becomes `User ID`.
    package var readable: String {
        let letters = Array(replacingOccurrences(of: "_", with: " "))
        var words = ""
        for (index, letter) in letters.enumerated() {
            let beginsWord = index > 0 && letter.isUppercase && letters[index - 1].isLowercase
            let isAcronym = index + 1 == letters.count || letters[index + 1].isUppercase
            words += beginsWord ? " " + (isAcronym ? String(letter) : letter.lowercased()) : String(letter)
        }
        return words.prefix(1).uppercased() + words.dropFirst()
    }
}
