import Foundation
import IdentityKit

/// Labels of a step's inputs and actions for which the server has none, and kinds of inputs.
extension FlowInput {
    /// The kind of value. Unknown types count as text.
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
    /// The label of the button: the server's, or else the readable name. A mere number is not used.
    package var title: String {
        if let label { return label }
        return switch name.lowercased() {
        case "signin": "Sign in"
        case "signup": "Sign up"
        default: isNamed ? name.readable : "Continue"
        }
    }

    /// Whether the identifier is more than a number, so that people can read it.
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
