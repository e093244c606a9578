import Foundation
import IdentityKit

private struct RetryingSettings: Decodable {
    let url: URL
    let region: String?
    let retries: Int

    // snippet: settings reader
    init(from decoder: any Decoder) throws {
        let settings = try SettingsReader(decoder)
        url = try settings.read("url", means: "The server's address.", example: "https://acme.example")
        region = try settings.readIfPresent("region", .text, means: "The server's region.", example: "eu")
        retries = try settings.read("retries", means: "How often a request is repeated.", example: 3, default: 1)
    }
    // end snippet
}
