Reveal.initialize({
	width: 1280, height: 720, margin: 0, center: false, transition: "none",
	hash: true, slideNumber: "c/t", pdfSeparateFragments: false, scrollLayout: "compact",
});

// Printing needs the layout of reveal.js for paper, which the address asks for.
if (location.search === "?print-pdf&now") Reveal.on("pdf-ready", () => print());
addEventListener("keydown", (event) => {
	if (!(event.ctrlKey || event.metaKey) || event.key !== "p") return;
	event.preventDefault();
	location.search = "?print-pdf&now";
});

// The key S opens a window with the notes of the slide, the time, and the beginning of the next
// slide. This page writes into the window: no script runs there.
Reveal.addKeyBinding({ keyCode: 83, key: "S", description: "Speaker notes" }, () => {
	const view = window.open("", "notes", "width=800,height=600");
	if (!view) return; // forbidden by the browser
	const begun = Date.now(), page = view.document;
	page.title = document.title;
	page.head.replaceChildren(document.querySelector("style").cloneNode(true));
	page.body.className = "speaker";
	const fill = () => {
		const clock = page.createElement("p"), notes = page.createElement("div"), next = page.createElement("div");
		clock.textContent = `${new Date().toLocaleTimeString()}, ${Math.floor((Date.now() - begun) / 60000)} min, slide ${Reveal.getSlidePastCount() + 1} of ${Reveal.getTotalSlides()}`;
		notes.className = "notes";
		next.className = "next";
		const copy = (from, to) => from && to.append(...from.cloneNode(true).childNodes);
		copy(Reveal.getCurrentSlide().querySelector("aside.notes"), notes);
		copy(Reveal.getCurrentSlide().nextElementSibling?.querySelector(".sheet"), next);
		page.body.replaceChildren(clock, notes, next);
	};
	fill();
	const timer = setInterval(() => view.closed ? clearInterval(timer) : fill(), 10000);
	Reveal.on("slidechanged", fill);
	page.onkeydown = (event) => {
		if (["ArrowRight", "ArrowDown", "PageDown", " "].includes(event.key)) Reveal.next();
		if (["ArrowLeft", "ArrowUp", "PageUp"].includes(event.key)) Reveal.prev();
	};
});
