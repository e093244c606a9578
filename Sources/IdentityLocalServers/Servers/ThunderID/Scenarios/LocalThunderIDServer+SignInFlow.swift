extension LocalThunderIDServer {
    /// The sign-in flow as an administrator has put it together. The default is the one a server is delivered with: a
    /// username, a password, an assertion.
    ///
    /// ```swift
    /// let withCode = LocalThunderIDServer.SignInFlow(steps: [.oneTimeCode(.sms)])
    /// let withChoice = LocalThunderIDServer.SignInFlow(methods: [.password, .passkey], steps: [.consent()])
    /// ```
    public struct SignInFlow: Sendable {
        /// How people show who they are. Several are offered in a chooser (`LOGIN_OPTIONS`).
        public var methods: [Method]
        /// Later steps, in this order.
        public var steps: [Step]
        /// Whether the flow keeps a single sign-on session in a cookie `tid_sso_*` and starts by looking for one. Who
        /// has none is sent to the first prompt, which then carries `FET-1081`.
        public var keepsSession: Bool
        public var ending: Ending

        /// A username, a password, an assertion by default.
        public init(
            methods: [Method] = [.password], steps: [Step] = [], keepsSession: Bool = false,
            ending: Ending = .assertion
        ) {
            (self.methods, self.steps, self.keepsSession, self.ending) = (methods, steps, keepsSession, ending)
        }

        /// A way to prove one's identity.
        public enum Method: Sendable, Equatable {
            /// The shipped prompt for a username and a password, with links to recovery and registration.
            case password
            /// Username and password asked by the task itself: no prompt, no actions, and after a failure the same
            /// inputs with an error.
            case promptlessPassword
            /// A username, then a code.
            case oneTimeCode(Channel)
            /// A username, then a link in an e-mail.
            case magicLink
            /// A username, then a passkey of that user.
            case passkey
            /// A passkey that says whose it is.
            case usernamelessPasskey
            /// Sign-in at another identity provider, in a browser.
            case federated(Connection)
        }

        /// Something between showing who one is and the end.
        public enum Step: Sendable {
            /// A code as a second factor.
            case oneTimeCode(Channel)
            /// The creation of a passkey.
            case enrolPasskey
            /// Consent to what the application learns.
            case consent(Consent = Consent())
            case form(Form)
            /// Something to read, with nothing to enter or choose.
            case notice(String)
            /// A failure that nothing in the flow catches: `ERROR` with `FET-1028`.
            case refusal
        }

        /// Results of a finished flow.
        public enum Ending: Sendable, Equatable {
            case assertion
            /// `COMPLETE` with nothing in it.
            case nothing
            /// `COMPLETE` with a message and no assertion.
            case notice(String)
        }

        /// How a message reaches a person.
        public enum Channel: String, Sendable, CaseIterable {
            case sms
            case email
        }

        /// Attributes and permissions that people must consent to. The flow does not ask again after a consent, except
        /// with `prompt=consent`.
        public struct Consent: Sendable {
            /// Attributes the application cannot do without: without them the flow fails with `FET-1066`.
            public var essential: [String]
            /// Attributes that may be kept back.
            public var optional: [String]
            /// How long people may think; later the flow fails with `FET-1069`. `nil` for ever.
            public var timeout: Duration?

            /// By default the e-mail address is essential.
            public init(
                essential: [String] = ["email"], optional: [String] = ["given_name", "family_name"],
                timeout: Duration? = nil
            ) {
                (self.essential, self.optional, self.timeout) = (essential, optional, timeout)
            }
        }
    }
}
