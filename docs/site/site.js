// A wide table is scrolled by the keyboard, too.
const reach = () => {
  for (const wide of document.querySelectorAll(".md-typeset__scrollwrap")) wide.tabIndex = 0;
};
new MutationObserver(reach).observe(document.documentElement, { childList: true, subtree: true });
reach();
