import Foundation
import IdentityKit

/// A request of kubectl for a credential. The variable `KUBERNETES_EXEC_INFO` names the cluster
/// (client.authentication.k8s.io).
struct KubectlRequest: Sendable {
    static let variable = "KUBERNETES_EXEC_INFO"

    /// The version of kubectl's interface, which the response repeats.
    let version: String
    let server: URL

    private static let versions = ["client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1"]
    /// The largest request in bytes. A request may include certificates of the cluster.
    private static let largest = 1 << 20

    /// Reads the request in `KUBERNETES_EXEC_INFO`.
    /// - Throws: ``KubectlRequestError``, also if a setting of the cluster may make kubectl send the token to another
    ///   server.
    init(variables: [String: String]) throws(KubectlRequestError) {
        guard let text = variables[Self.variable].nonEmpty else { throw .missing }
        guard text.utf8.count <= Self.largest, let document = try? JSONValue(parsing: Data(text.utf8)),
            document["kind"]?.stringValue == "ExecCredential"
        else { throw .malformed }
        guard let version = document["apiVersion"]?.stringValue, Self.versions.contains(version) else {
            throw .unknownVersion
        }
        guard let cluster = document["spec"]?["cluster"] else { throw .clusterMissing }
        guard let server = cluster["server"]?.stringValue, server.utf8.count <= 2048, let url = URL(string: server)
        else {
            throw .malformed
        }
        for member in Self.detours where cluster[member].map(Self.isUsed) == true { throw .detour(member) }
        (self.version, self.server) = (version, url)
    }

    /// Members of a cluster that may make kubectl send the token to another server than the named one.
    private static let detours = ["insecure-skip-tls-verify", "proxy-url", "tls-server-name"]

    private static func isUsed(_ value: JSONValue) -> Bool { ![.null, .bool(false), .string("")].contains(value) }
}

/// The reason why kubectl gets no token.
enum KubectlRequestError: StatedFailure {
    /// `KUBERNETES_EXEC_INFO` is unset or empty, so the caller is not kubectl.
    case missing
    /// The document is not an `ExecCredential` in JSON, is larger than 1 MiB, or has no valid address of a server.
    case malformed
    /// `apiVersion` is missing, or is neither `client.authentication.k8s.io/v1` nor `client.authentication.k8s.io/v1beta1`.
    case unknownVersion
    /// The document names no cluster, because the kubeconfig lacks `provideClusterInfo: true`.
    case clusterMissing
    /// With this member of the kubeconfig, kubectl may send the token to another server than the named one.
    case detour(String)
    /// The session has no verified ID token with this audience and an expiry.
    case idTokenNotFor(audience: String)
    /// The ID token has expired, and a refresh brought no new one, or none that was verified.
    case idTokenExpired

    var facts: FailureFacts {
        switch self {
        case .missing:
            .definitive(
                "exec_info_missing",
                "--format kubectl is for kubectl, which names the cluster in \(KubectlRequest.variable). It is not set."
            )
        case .malformed: .definitive("exec_info_malformed", "\(KubectlRequest.variable) is not what kubectl writes.")
        case .unknownVersion:
            .definitive(
                "exec_info_version_unknown",
                "\(KubectlRequest.variable) has an unknown version. Write apiVersion: client.authentication.k8s.io/v1.")
        case .clusterMissing:
            .definitive(
                "cluster_not_told",
                "kubectl does not say which cluster it is for. Write provideClusterInfo: true into the kubeconfig.")
        case .detour(let member):
            .definitive(
                "cluster_not_verified",
                "The kubeconfig has \(member), with which a token could reach another server. Take it away.")
        case .idTokenNotFor(let audience):
            .definitive("id_token_not_for_audience", "The session has no ID token for \"\(audience)\".")
        case .idTokenExpired:
            .definitive(
                "id_token_expired",
                "The ID token has expired by this machine's clock, and the refresh brought none that is verified and valid. "
                    + "See why with the option --verbose.")
        }
    }
}
