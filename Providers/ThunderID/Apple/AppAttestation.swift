#if canImport(DeviceCheck) && (os(iOS) || os(macOS) || os(visionOS))
import DeviceCheck
import Foundation
import IdentityKit

/// Proves that the app is genuine and runs on a real device (App Attest):
///
/// ```swift
/// config.attestationEnabled = true
/// config.attestationTokenProvider = { try await AppAttestation.token() }
/// ```
public enum AppAttestation {
    /// Returns a proof, in Base64, for one start of a sign-in or sign-out. Every proof needs a new key, because a key can be
    /// attested only once.
    ///
    /// The server sends no challenge for the proof, so the proof covers the hash of random bytes.
    /// - Throws: ``IAMError`` with `invalidConfiguration` if App Attest is not supported, such as in a simulator, with
    ///   `networkError` if Apple's server is not available, or with `authenticationFailed` for any other failure of App Attest;
    ///   or an error with the code `randomness_unavailable` if the system supplies no random bytes.
    public static func token() async throws -> String {
        let service = DCAppAttestService.shared
        guard service.isSupported else {
            throw IAMError(.invalidConfiguration, "App Attest does not exist here. Use a real device.")
        }
        do {
            let key = try await service.generateKey()
            let challenge = sha256(Data(try RandomSource.system.bytes(32)))
            return try await service.attestKey(key, clientDataHash: challenge).base64EncodedString()
        } catch let error as DCError {
            throw error.code == .serverUnavailable
                ? IAMError(.networkError, "Apple's server for App Attest cannot be reached. Try again later.")
                : IAMError(.authenticationFailed, "The app could not be attested. Update it and try again.")
        }
    }
}
#endif
