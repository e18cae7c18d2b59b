package watch

import (
	"time"

	tea "charm.land/bubbletea/v2"
)

// Model is the live view, for a program of bubbletea.
type Model struct {
	watched *Watched
	colour  bool
	now     func() time.Time

	width, height int
	scrolled      int // lines
	snapshot      Snapshot
	err           error // of the last reading
}

// NewModel makes the view of what is watched. Without colour it has no escape sequences of its own.
func NewModel(w *Watched, colour bool) Model {
	return Model{watched: w, colour: colour, now: time.Now, width: 80, height: 24}
}

// snapshotMsg is the result of a reading, and tickMsg says that it is time for one.
type (
	snapshotMsg struct {
		Snapshot
		err error
	}
	tickMsg struct{}
)

// Err is the error of the last reading.
func (m Model) Err() error { return m.err }

// HasRead reports whether a reading has succeeded.
func (m Model) HasRead() bool { return len(m.snapshot.Runs) > 0 }

// Init implements tea.Model.
func (m Model) Init() tea.Cmd { return m.read }

// read reads the directory, in a goroutine of the program. The next reading begins a second after this one has ended,
// so that no two are under way.
func (m Model) read() tea.Msg {
	s, err := m.watched.Read(m.now())
	return snapshotMsg{s, err}
}

// Update implements tea.Model.
func (m Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
	case snapshotMsg:
		if m.err = msg.err; msg.err == nil {
			m.snapshot = msg.Snapshot
		} else if len(m.snapshot.Runs) == 0 {
			return m, tea.Quit // there is nothing to watch
		}
		return m, tea.Tick(time.Second, func(time.Time) tea.Msg { return tickMsg{} })
	case tickMsg:
		return m, m.read
	case tea.KeyPressMsg:
		return m.key(msg.String())
	}
	return m, nil
}

func (m Model) key(name string) (tea.Model, tea.Cmd) {
	page := max(1, m.height-2)
	switch name {
	case "q", "esc", "ctrl+c":
		return m, tea.Quit
	case "up", "k":
		m.scrolled--
	case "down", "j":
		m.scrolled++
	case "pgup":
		m.scrolled -= page
	case "pgdown", "space":
		m.scrolled += page
	case "home", "g":
		m.scrolled = 0
	}
	m.scrolled = max(0, min(m.scrolled, len(m.lines())-page))
	return m, nil
}

// View implements tea.Model.
func (m Model) View() tea.View {
	v := tea.NewView(m.text())
	v.AltScreen = true
	return v
}
