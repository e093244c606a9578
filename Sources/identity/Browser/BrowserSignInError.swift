import IdentityKit

/// Why a sign-in in the browser cannot begin or end here.
enum BrowserSignInError: IdentityFailure, Equatable {
    /// Another program listens there.
    case portTaken(Int)
    /// This user may not listen there.
    case portNotAllowed(Int)
    /// This machine has no such address.
    case noAddress(String)
    case unreachableRedirect(String)
    /// - Parameter strays: how many requests belonged to no sign-in.
    case timedOut(seconds: Int, strays: Int)

    var failureCode: String {
        switch self {
        case .portTaken: "redirect_port_taken"
        case .portNotAllowed: "redirect_port_not_allowed"
        case .noAddress: "redirect_address_missing"
        case .unreachableRedirect: "redirect_not_loopback"
        case .timedOut: "browser_timed_out"
        }
    }

    var failureClass: FailureClass {
        if case .timedOut = self { .transient } else { .definitive }
    }

    var message: String {
        switch self {
        case .portTaken(let port):
            """
            Nothing can listen on port \(port) of this machine, because another program does. End it, or register a \
            redirect URI without a port, such as http://127.0.0.1/callback, which takes any free one.
            """
        case .portNotAllowed(let port):
            """
            Only an administrator may listen on port \(port) of this machine. Register a redirect URI without a port, \
            such as http://127.0.0.1/callback, which takes any free one.
            """
        case .noAddress(let host):
            "This machine does not have the address \(host). Register http://127.0.0.1/callback as a redirect URI."
        case .unreachableRedirect(let uri):
            "\(uri) does not come back to a terminal. Register http://127.0.0.1/callback as a redirect URI and set it."
        case .timedOut(let seconds, let strays):
            "Nobody signed in within \(seconds) seconds. \(Self.told(strays))Run the command again."
        }
    }

    private static func told(_ strays: Int) -> String {
        switch strays {
        case 0: ""
        case 1: "One request came back that belongs to no sign-in and was ignored. "
        default: "\(strays) requests came back that belong to no sign-in and were ignored. "
        }
    }
}
