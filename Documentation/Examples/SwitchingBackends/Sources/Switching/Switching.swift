import Foundation
import SwiftIdentity

/// `switching FILE COMMAND`: the file names the backends, and nothing else here does.
@main
struct Switching {
    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard arguments.count > 1, let command = Command(arguments.dropFirst()) else {
            return complain("usage: switching FILE sign-in [NAME] | whoami | call URL | sign-out | watch")
        }
        let file = URL(fileURLWithPath: arguments[0])
        do {
            try await command.run(makeClient(file), file)
        } catch let failure as any IdentityFailure {
            complain(failure.message)
        } catch is CancellationError {
            complain("The sign-in was cancelled.")
        } catch {
            complain("\(error)")
        }
    }

    private static func complain(_ text: String) {
        FileHandle.standardError.write(Data("\(text)\n".utf8))
        exit(1)
    }
}
