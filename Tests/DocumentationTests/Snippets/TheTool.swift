import Foundation
import IdentityKit
import IdentityTool

private enum AcmePlugin: ProviderPlugin {
    static let type = "acme"

    struct Settings: Decodable, Sendable {}

    static func makeProvider(settings: Settings, context: ProviderContext) -> any IdentityProvider {
        IdentityProviders.staticToken("token", for: AccountID(account: "ada", realm: context.name))
    }

    // snippet: setup-of-a-type
    public static var setup: PluginSetup {
        PluginSetup(
            otherNames: ["acme-id"], addressSetting: "baseURL", published: [.below("/acme.json")],
            recognize: { documents in
                documents[.below("/acme.json")].map { _ in Recognition(["baseURL": .string(documents.base)]) }
            },
            refusals: ["acme_refused"])
    }
    // end snippet
}

func mainOfATool() async {
    // snippet: main-of-a-tool
    await IdentityTool.main(adding: [AcmePlugin.self])
    // end snippet
}

func runTheTool(in folder: URL, writing output: FileHandle) async -> ExitStatus {
    // snippet: running-the-tool
    let context = ToolContext(
        environment: ["HOME": folder.path], folder: folder,
        output: ToolContext.Output(output), errors: ToolContext.Output(.standardError))
    let status = await IdentityTool.run(["providers", "acme"], in: context, adding: [AcmePlugin.self])
    // end snippet
    return status
}
