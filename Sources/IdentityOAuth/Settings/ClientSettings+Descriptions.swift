import IdentityKit

extension ClientSettings {
    package static let descriptions: [SettingDescription] = [
        .allowsLoopbackHTTP,
        SettingDescription(
            "clientID", "The client identifier; a client that registers itself has none.", example: "example-app",
            isUsual: true),
        SettingDescription(
            "clientSecret", "The client secret, of a client that can keep one.", example: "${EXAMPLE_CLIENT_SECRET}"),
        SettingDescription(
            "clientAuthentication",
            "How the client proves who it is; by default client_secret_basic with a secret, private_key_jwt with a key.",
            example: "client_secret_post", with: ["clientSecret": "${EXAMPLE_CLIENT_SECRET}"]),
        SettingDescription(
            "clientKey", "The client's private key as a JWK, in the place of a secret.",
            example: [
                "kty": "EC", "crv": "P-256", "kid": "example", "x": "mcemhkupClRkCf6WQ_rwfdYWkZwka2XK-KBBjtRdsnM",
                "y": "3C4zOOCngontUNjv1966eLpgdT_6_QA0Y1tGMKd-zQY", "d": "${EXAMPLE_KEY_D}",
            ], with: ["clientSecret": .null]),
        SettingDescription(
            "clientKeyFile", "The path of a file with the client's private key, as a JWK or in PEM form.",
            example: "client-key.pem", with: ["clientSecret": .null, "clientKeyID": "example-key"]),
        SettingDescription(
            "clientKeyID", "The identifier of a key in PEM form, as the server knows it.", example: "example-key",
            with: ["clientSecret": .null, "clientKeyFile": "client-key.pem"]),
        SettingDescription(
            "clientSecretIssuer", "In whose name a secret is signed, for signed_client_secret, as Apple wants it.",
            example: "ABCDE12345",
            with: [
                "clientSecret": .null, "clientAuthentication": "signed_client_secret",
                "clientKeyFile": "client-key.pem", "clientKeyID": "example-key",
            ]),
        SettingDescription(
            "requestFormat", "How the server wants requests where that differs from the RFCs.",
            example: ["encodesBasic": false], default: [:]),
    ]
}
