import IdentityKit

/// An error as this app shows it: what a person reads, and what the app does.
public struct Complaint: Sendable, Equatable {
    public enum Help: Sendable, Equatable { case signIn, waiting, support }

    public let text: String
    public let help: Help

    public init(_ error: any Error) {
        help = error.asksForSignIn ? .signIn : error.identityFailureClass == .definitive ? .support : .waiting
        text =
            switch error {
            case is CancellationError: "Nothing was done."
            case let error as ProviderError: Complaint(error.underlying).text
            case let error as ClientError: Self.text(error)
            case let error as SessionError: Self.text(error)
            case let error as ConfigurationError: Self.text(error)
            case let error as ChainError: error.attempts.map(\.description).joined(separator: "; ")
            case let error as TransportError: error.wasNeverSent ? "Nothing was sent. \(error.message)" : error.message
            case TokenStoreError.full: "The shop has too many people. Sign somebody out."
            case TokenStoreError.locked, TokenStoreError.busy: "Unlock this device."
            case let error as TokenStoreError: "Sessions cannot be kept: \(error.message)"
            case WebAuthenticationError.noWindow, WebAuthenticationError.notStarted: "Open the shop's window first."
            case let error as WebAuthenticationError: "The page: \(error.message)"
            case let error as any IdentityFailure: "\(error.message) [\(error.failureCode), \(error.failureClass)]"
            default: "Something is wrong here."
            }
    }

    private static func text(_ error: ClientError) -> String {
        switch error {
        case .notSignedIn: "Sign in first."
        case .insecureRequest(let host): "\(host) has no https."
        case .notConfigurable: "This shop has no settings."
        case .accountRequired: "Say who you are."
        case .otherAccount(let account, let named): "You are \(account), not \(named)."
        case .severalAccounts(let accounts, let host): "\(accounts.count) people have an account at \(host)."
        case .notDestination(let account, let host): "\(account) has no business at \(host)."
        case .unclearAddress(let host): "That is an odd address at \(host)."
        case .cannotDelegate(let provider): "Nobody else can act at \(provider)."
        }
    }

    private static func text(_ error: SessionError) -> String {
        let wait = error.nextAttempt.map { " Next try: \($0.ISO8601Format())" } ?? ""
        return switch error {
        case .notSignedIn(let account), .cannotRefresh(let account): "Sign in as \(account)."
        case .ended(let account, let reason): "\(account) is signed out: \(reason)."
        case .belongsElsewhere(let account, let reason): "\(account) is kept for later: \(reason)"
        case .suspended(let account, let suspension): "\(account) has to sign in again: \(suspension.reason)\(wait)"
        case .insufficientScope(_, let missing): "You may not \(missing.sorted().joined(separator: ", "))."
        case .refreshInProgress: "A moment."
        case .refreshPostponed(_, let reason, _), .refreshRefused(_, let reason, _), .clientRefused(_, let reason, _):
            "Later: \(reason)\(wait)"
        case .stepUpNeeded(_, let scopes, let reason, _): "Allow \(scopes.sorted()): \(reason)\(wait)"
        case .resourceNotGranted(_, let resource, let reason, _): "No access to \(resource): \(reason)\(wait)"
        }
    }

    private static func text(_ error: ConfigurationError) -> String {
        guard case .located(let place, _) = error else { return error.message }
        let name =
            switch place {
            case .file(let path, let line, let column): "\(path):\(line):\(column)"
            case .variable(let variable): "$\(variable)"
            }
        return "\(name): \(error.mistake.failureCode)"
    }
}
