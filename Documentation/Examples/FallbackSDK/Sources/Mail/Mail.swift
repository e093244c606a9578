import Foundation
import IdentityKit
import MailSDK

/// `mail FILE ADDRESS`: reads mail for whoever is signed in to the app that `FILE` configures.
@main
struct Mail {
    static func main() async {
        let arguments = CommandLine.arguments.dropFirst()
        guard let file = arguments.first, let address = arguments.dropFirst().first.flatMap(URL.init(string:)) else {
            return complain("usage: mail FILE ADDRESS")
        }
        do {
            let configuration = try IdentityConfiguration(contentsOf: URL(fileURLWithPath: file))
            let identity = try MailService.defaultIdentity(store: configuration.store.open())
            let service = MailService(identity: identity, deviceToken: "mail")
            for line in await service.report() { print("  \(line)") }
            guard let (account, text) = try await service.mail(at: address) else {
                return complain("Nobody is signed in.")
            }
            print("\(account.realm) answered: \(text)")
        } catch let failure as any IdentityFailure {
            complain(failure.message)
        } catch {
            complain("\(error)")
        }
    }

    private static func complain(_ text: String) {
        FileHandle.standardError.write(Data("\(text)\n".utf8))
        exit(1)
    }
}
