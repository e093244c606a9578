/// A sign-in screen as a value. ``rows(_:at:)`` tells what to draw, in order.
public struct SignInScreen: Sendable, Equatable {
    /// A provider that a person may choose.
    public struct Backend: Sendable, Equatable {
        /// The provider's name in the configuration.
        public let name: String
        /// The words for the person.
        public let label: String
        /// The host of the page that the sign-in opens; `nil` for one that opens none, or is not known.
        public let host: String?
        /// The type of the vendor's preset, such as `apple`, for its picture and its rules about buttons; `nil` without one.
        public let vendor: String?

        public init(name: String, label: String? = nil, host: String? = nil, vendor: String? = nil) {
            self.name = name
            self.label = label ?? name
            self.host = host
            self.vendor = vendor
        }
    }

    /// An account that is there already.
    public struct Person: Sendable, Equatable {
        public let account: AccountID
        /// The person's name or address.
        public let name: String
        /// The provider at which the session is suspended or over; `nil` while it can be used.
        public let signInAt: String?

        public init(account: AccountID, name: String, signInAt: String? = nil) {
            self.account = account
            self.name = name
            self.signInAt = signInAt
        }
    }

    /// Why nobody is signed in, or what to do about it.
    public enum Notice: Sendable, Equatable {
        /// The server cannot be reached.
        case offline
        /// The device's clock is wrong.
        case clockWrong
        /// The configuration was changed while a sign-in was under way.
        case configurationChanged
        /// Words of the provider or of the session, such as why it is suspended.
        case words(String)
    }

    /// The action of a button of the screen.
    public enum Action: Sendable, Hashable {
        /// Begins a sign-in at the provider of this name.
        case signIn(String)
        /// Makes this account the active one.
        case continueAs(AccountID)
        /// Answers the open step with the action of this identifier; `nil` for a step without actions.
        case answer(String?)
        /// Ends the sign-in under way.
        case cancel
    }

    /// The providers that a person may choose, in the configuration's order.
    public var backends: [Backend] = []
    /// The accounts that are there.
    public var people: [Person] = []
    /// The open step; `nil` when none is.
    public var prompt: SignInPrompt?
    /// The typed values, by field identifier.
    public var values: [String: Secret] = [:]
    /// The errors that the screen found before it sent anything, by field identifier.
    public var problems: [String: FieldProblem] = [:]
    /// The identifier of the field that the focus moves to after an error; `nil` for none. It moves once: typing takes
    /// the name away, and the next error brings one again.
    public var focus: String?
    /// The code to enter on another device; `nil` when there is none.
    public var deviceCode: DeviceCode?
    /// Why nobody is signed in; `nil` for nothing to say.
    public var notice: Notice?
    /// Whether the screen waits for the provider, so that buttons other than cancel rest.
    public var isBusy = false

    /// A screen on which nothing is.
    public init() {}

    /// The screen with these providers alone, in this order. A name that the configuration does not have is passed over.
    public func offering(_ names: [String]) -> SignInScreen {
        var screen = self
        screen.backends = names.compactMap { name in backends.first { $0.name == name } }
        return screen
    }

    /// An error of a value that was not sent.
    public enum FieldProblem: Sendable, Equatable {
        /// The value is needed.
        case needed
        /// The value breaks a rule, which may have words of its own.
        case unfit(String?)
    }
}

extension SignInPrompt {
    /// The field to mend after the step before: the first with an error of its own. Of an error that names none it is the
    /// first secret, which is empty again, else the first field.
    var wrongField: Field? {
        if let field = fields.first(where: { $0.problem != nil }) { return field }
        return problem == nil ? nil : fields.first { $0.kind.isSecret } ?? fields.first
    }

    /// The problems of `values` before they are sent, by field identifier.
    func problems(in values: [String: Secret]) -> [String: SignInScreen.FieldProblem] {
        var problems: [String: SignInScreen.FieldProblem] = [:]
        for field in fields { problems[field.identifier] = field.problem(with: values[field.identifier]) }
        return problems
    }

    /// The part of `values` that is sent. An action that takes another way sends no secret, and needs none.
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
    /// The problem of `value` before it is sent; `nil` when there is none. A switch that nobody touched is off.
    public func problem(with value: Secret?) -> SignInScreen.FieldProblem? {
        let text = value?.reveal() ?? ""
        if text.isEmpty { return isRequired && kind != .boolean ? .needed : nil }
        guard options.isEmpty || options.contains(text) else { return .needed }
        return rules.first { !$0.lengths.contains(text.count) }.map { .unfit($0.message) }
    }
}
