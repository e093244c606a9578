import Foundation
import IdentityKit

/// Names of a step's parts where the server gives none, and the kinds of what they ask for.
extension FlowInput {
    /// The kind of value. Unknown types are text.
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

    /// The label beside the field: the server's label, or its name.
    package var title: String { label ?? name.readable }
}

extension FlowAction {
    /// The label on the button: the server's label, or its name. A bare number is no title.
    package var title: String {
        if let label { return label }
        return switch name.lowercased() {
        case "signin": "Sign in"
        case "signup": "Sign up"
        default: isNamed ? name.readable : "Continue"
        }
    }

    /// Whether its identifier says something to a person.
    package var isNamed: Bool { !name.allSatisfy(\.isNumber) }

    private var name: String { id.hasPrefix("action_") ? String(id.dropFirst("action_".count)) : id }
}

extension String {
    /// `given_name` and `givenName` as `Given name`; `userID` as `User ID`.
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
