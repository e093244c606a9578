/// The state of a sign-in screen as a value. ``rows(_:at:)`` returns what to draw, in order.
public struct SignInScreen: Sendable, Equatable {
    /// A provider that a person may choose.
    package struct Backend: Sendable, Equatable {
        /// The provider's name in the configuration.
        package let name: String
        /// Label of the provider's button, such as the vendor's name; the provider's ``name`` if no label is given.
        package let label: String
        /// Host of the page that the sign-in opens; `nil` when it opens none or the host is unknown.
        package let host: String?
        /// Type of the vendor's preset, such as `apple`, which decides the picture and the style of the button; `nil`
        /// for a provider without a vendor.
        package let vendor: String?

        package init(name: String, label: String? = nil, host: String? = nil, vendor: String? = nil) {
            self.name = name
            self.label = label ?? name
            self.host = host
            self.vendor = vendor
        }
    }

    /// An account in the store for which the screen shows a button.
    package struct Person: Sendable, Equatable {
        package let account: AccountID
        /// The person's name, or else the e-mail address, the user name or the identifier of the account.
        package let name: String
        /// Name of the provider at which the person has to sign in again, because the session is suspended or has
        /// ended; `nil` while the session can be used.
        package let signInAt: String?

        package init(account: AccountID, name: String, signInAt: String? = nil) {
            self.account = account
            self.name = name
            self.signInAt = signInAt
        }
    }

    /// Message on the screen about why a sign-in is needed or has failed.
    package enum Notice: Sendable, Equatable {
        /// The server could not be reached, or did not respond.
        case offline
        case clockWrong
        /// A change of the configuration has ended the running sign-in.
        case configurationChanged
        /// Message of the provider or the session, such as why the session is suspended.
        case words(String)
    }

    /// The action of a button of the screen.
    public enum Action: Sendable, Hashable {
        /// Begins a sign-in at the provider of this name.
        case signIn(String)
        /// Makes this account the active one. If its session cannot be used, the person has to sign in first.
        case continueAs(AccountID)
        /// Answers the open step with the action of this identifier; `nil` for a step without actions.
        case answer(String?)
        /// Ends the sign-in under way.
        case cancel
    }

    /// The providers that a person may choose, in the configuration's order.
    package var backends: [Backend] = []
    /// The accounts in the store that can be used, or whose person can sign in again.
    package var people: [Person] = []
    /// The open step of the sign-in; `nil` when there is none.
    package var prompt: SignInPrompt?
    /// Entered values, by field identifier.
    package var values: [String: Secret] = [:]
    /// Errors found before anything was sent, by field identifier.
    package var problems: [String: FieldProblem] = [:]
    /// Identifier of the field to focus after an error; `nil` for none. Entering a value resets it to `nil`, so that
    /// the focus moves only once for each error.
    public package(set) var focus: String?
    /// The code to enter on another device; `nil` when there is none.
    package var deviceCode: DeviceCode?
    /// Message about why a sign-in is needed or has failed; `nil` for none. Beginning a sign-in removes it.
    package var notice: Notice?
    /// Whether the screen waits for the provider, so that all buttons but cancel are disabled.
    package var isBusy = false

    package init() {}

    /// Returns the screen with only these providers, in this order. A name of a provider that the screen does not offer
    /// is ignored.
    public func offering(_ names: [String]) -> SignInScreen {
        var screen = self
        screen.backends = names.compactMap { name in backends.first { $0.name == name } }
        return screen
    }

    /// Error of a value, found before it was sent.
    public enum FieldProblem: Sendable, Equatable {
        /// The field is required and empty, or its value is not among the options.
        case needed
        /// The value is too short or too long. The text is the message of the rule; `nil` for the screen's own message.
        case unfit(String?)
    }
}

extension SignInPrompt {
    /// The field to correct after the preceding step: the first field with an error. If the error concerns no field,
    /// the first secret field, which is empty again, or else the first field. `nil` without an error.
    var wrongField: Field? {
        if let field = fields.first(where: { $0.problem != nil }) { return field }
        return problem == nil ? nil : fields.first { $0.kind.isSecret } ?? fields.first
    }

    /// Errors of `values` found before they are sent, by field identifier.
    func problems(in values: [String: Secret]) -> [String: SignInScreen.FieldProblem] {
        var problems: [String: SignInScreen.FieldProblem] = [:]
        for field in fields { problems[field.identifier] = field.problem(with: values[field.identifier]) }
        return problems
    }

    /// The values to send, without empty ones. When the person continues (`goesOn`), an untouched switch counts as
    /// `false`. Any other action sends no secrets.
    func values(of values: [String: Secret], goesOn: Bool) -> [String: Secret] {
        var sent: [String: Secret] = [:]
        for field in fields where goesOn || !field.kind.isSecret {
            let value = values[field.identifier] ?? (field.kind == .boolean && goesOn ? "false" : "")
            if !value.isEmpty { sent[field.identifier] = value }
        }
        return sent
    }
}

extension SignInPrompt.Field {
    /// Error of `value` found before it is sent; `nil` when there is none. An untouched switch counts as off.
    public func problem(with value: Secret?) -> SignInScreen.FieldProblem? {
        let text = value?.reveal() ?? ""
        if text.isEmpty { return isRequired && kind != .boolean ? .needed : nil }
        guard options.isEmpty || options.contains(text) else { return .needed }
        return rules.first { !$0.lengths.contains(text.count) }.map { .unfit($0.message) }
    }
}
