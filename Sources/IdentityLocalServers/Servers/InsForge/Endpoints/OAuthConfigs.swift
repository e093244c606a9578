import Foundation
import IdentityKit

// Endpoints by which an administrator adds OAuth providers to the running project.

extension InsForgeCall {
    func createOAuthConfig() throws -> LocalResponse {
        try verifyAdmin()
        var fields = fields
        let name = fields.string("provider")
        let usesSharedKey = fields.bool("useSharedKey")
        let clientID = fields.optionalString("clientId")
        _ = fields.optionalString("clientSecret")
        if !InsForgeOAuthProviders.builtInNames.contains(name) {
            fields.complain(about: "provider", "Invalid enum value")
        }
        try fields.check()
        guard !usesSharedKey else {
            throw InsForgeServerError(
                400, "AUTH_OAUTH_CONFIG_ERROR", "Shared OAuth keys are not enabled in this environment")
        }
        try backend.providers.add(builtIn: name)
        let now = backend.time.now.insForgeText
        return .insForge([
            "id": .string(UUID().uuidString.lowercased()), "provider": .string(name), "useSharedKey": false,
            "clientId": clientID.map { .string($0) } ?? nil, "createdAt": .string(now), "updatedAt": .string(now),
        ])
    }

    func createCustomOAuthConfig() throws -> LocalResponse {
        try verifyAdmin()
        var fields = fields
        let key = fields.string("key", .init(complaint: "Invalid", accepts: InsForgeOAuthProviders.isKey))
        let name = fields.string("name", .notEmpty("Name is required"))
        let discoveryEndpoint = fields.string("discoveryEndpoint", .url)
        let clientID = fields.string("clientId", .notEmpty("Client ID is required"))
        _ = fields.string("clientSecret", .notEmpty("Client secret is required"))
        try fields.check()
        let provider = InsForgeOAuthProviders.Custom(
            key: key, name: name, clientID: clientID, discoveryEndpoint: discoveryEndpoint,
            createdAt: backend.time.now)
        try backend.providers.add(provider)
        let now = provider.createdAt.insForgeText
        return .insForge([
            "id": .string(provider.id), "key": .string(key), "name": .string(name),
            "discoveryEndpoint": .string(discoveryEndpoint), "clientId": .string(clientID),
            "createdAt": .string(now), "updatedAt": .string(now),
        ])
    }
}
