import Foundation
import IdentityKit

/// The dashboard's only script. Pages are complete without it; with it, tables update by themselves and a configuration
/// can be copied.
enum DashboardScript {
    /// The hash of the script for the content security policy, so that no other script runs (CSP level 3 section 2.3.1).
    static let source = "'sha256-\(Data(sha256(Data(text.text.utf8))).base64EncodedString())'"

    /// The script's text. Every two seconds it loads the page again and replaces the elements marked `data-live`. An
    /// element with a focused control or selected text is left alone, so that the script does not disturb typing, copying or
    /// a screen reader. A hidden page starts no requests. After a failed request the wait doubles, up to a minute.
    static let text: HTML = """
        (() => {
          const every = 2000, slowest = 60000;
          const control = document.getElementById('live');
          const toggle = document.createElement('button');
          let isPaused = false, isLoading = false, wait = every, timer = 0;
          const label = () => {
            toggle.textContent = isPaused ? 'Resume live updates' : 'Pause live updates';
          };
          const isInUse = part => {
            if (part.contains(document.activeElement) && document.activeElement.matches('button, a, input, select'))
              return true;
            const selection = document.getSelection();
            return selection && !selection.isCollapsed && selection.containsNode(part, true);
          };
          const replace = (part, fresh) => {
            if (part.innerHTML === fresh.innerHTML || isInUse(part)) return;
            const places = [...part.querySelectorAll('.scroll')].map(e => [e.scrollLeft, e === document.activeElement]);
            part.replaceChildren(...fresh.childNodes);
            part.querySelectorAll('.scroll').forEach((e, n) => {
              if (!places[n]) return;
              e.scrollLeft = places[n][0];
              if (places[n][1]) e.focus({ preventScroll: true });
            });
          };
          const update = async () => {
            isLoading = true;
            try {
              const answer = await fetch(location.pathname + location.search, {
                cache: 'no-store', redirect: 'error', signal: AbortSignal.timeout(slowest),
              });
              if (!answer.ok) throw new Error('' + answer.status);
              const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
              for (const part of document.querySelectorAll('[data-live]')) {
                const fresh = page.getElementById(part.id);
                if (fresh) replace(part, fresh);
              }
              wait = every;
            } catch { wait = Math.min(wait * 2, slowest); }
            isLoading = false;
          };
          const next = () => {
            clearTimeout(timer);
            if (isPaused || isLoading || document.hidden) return;
            timer = setTimeout(async () => { await update(); next(); }, wait);
          };
          if (control && document.querySelector('[data-live]')) {
            toggle.type = 'button';
            toggle.className = 'secondary';
            toggle.addEventListener('click', () => { isPaused = !isPaused; label(); next(); });
            label();
            control.replaceChildren(toggle);
            document.addEventListener('visibilitychange', next);
            next();
          }
          if (navigator.clipboard) for (const block of document.querySelectorAll('[data-copy]')) {
            const button = document.createElement('button');
            button.type = 'button';
            button.className = 'secondary';
            button.textContent = 'Copy';
            const state = document.createElement('span');
            state.setAttribute('role', 'status');
            button.addEventListener('click', async () => {
              try {
                await navigator.clipboard.writeText(document.getElementById(block.dataset.copy).textContent);
                state.textContent = 'Copied.';
              } catch { state.textContent = 'The browser did not allow it. Select the text instead.'; }
            });
            block.prepend(button, state);
          }
        })();
        """
}
