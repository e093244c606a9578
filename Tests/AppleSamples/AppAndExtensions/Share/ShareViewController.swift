#if os(iOS) || os(macOS) || os(visionOS)
import AppAndExtensionsShared
import IdentityKit
import SwiftUI

#if os(macOS)
final class ShareViewController: NSViewController {
    override func loadView() {
        view = NSHostingView(rootView: ShareView(context: extensionContext))
    }
}
#else
final class ShareViewController: UIViewController {
    override func viewDidLoad() {
        super.viewDidLoad()
        let content = UIHostingController(rootView: ShareView(context: extensionContext))
        addChild(content)
        content.view.frame = view.bounds
        content.view.autoresizingMask = [.flexibleWidth, .flexibleHeight]
        view.addSubview(content.view)
        content.didMove(toParent: self)
    }
}
#endif

struct ShareView: View {
    let context: NSExtensionContext?
    @State private var problem: String?

    var body: some View {
        VStack {
            if let problem {
                Text(verbatim: problem)
                Button("Close") { context?.cancelRequest(withError: CancellationError()) }
            } else {
                ProgressView().task { await save() }
            }
        }
    }

    // snippet: a-share-extension
    private func save() async {
        do {
            for page in await pages() { try await ReadingList().add(page) }
            context?.completeRequest(returningItems: nil)
        } catch let failure as any IdentityFailure where failure.asksForSignIn {
            problem = "Open Reading list and sign in."
        } catch {
            problem = error.localizedDescription
        }
    }
    // end snippet

    private func pages() async -> [URL] {
        var found: [URL] = []
        let items = (context?.inputItems ?? []).compactMap { $0 as? NSExtensionItem }
        for provider in items.flatMap({ $0.attachments ?? [] }) {
            if let page = await page(in: provider) { found.append(page) }
        }
        return found
    }

    private func page(in provider: NSItemProvider) async -> URL? {
        await withCheckedContinuation { continuation in
            _ = provider.loadObject(ofClass: URL.self) { page, _ in continuation.resume(returning: page) }
        }
    }
}
#endif
