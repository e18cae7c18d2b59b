package chat

import (
	"maps"
	"slices"
)

// named are templates of the usual formats, for files that have none of their own. The names are llama.cpp's, except
// that of plain, which is for models that were trained on texts alone.
var named = map[string]string{
	"chatml": `{% for m in messages %}{{ '<|im_start|>' + m.role + '\n' + m.content + '<|im_end|>\n' }}{% endfor %}` +
		`{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}`,
	"llama3": `{{ bos_token }}{% for m in messages %}{{ '<|start_header_id|>' + m.role + '<|end_header_id|>\n\n' + ` +
		`m.content | trim + '<|eot_id|>' }}{% endfor %}{% if add_generation_prompt %}` +
		`{{ '<|start_header_id|>assistant<|end_header_id|>\n\n' }}{% endif %}`,
	"gemma": `{{ bos_token }}{% for m in messages %}{% if m.role == 'system' %}` +
		`{{ raise_exception('no system message') }}{% endif %}{{ '<start_of_turn>' }}{% if m.role == 'assistant' %}{{ 'model' }}{% else %}{{ m.role }}` +
		`{% endif %}{{ '\n' + m.content | trim + '<end_of_turn>\n' }}{% endfor %}` +
		`{% if add_generation_prompt %}{{ '<start_of_turn>model\n' }}{% endif %}`,
	"mistral-v1": `{{ bos_token }}{% for m in messages %}{% if m.role == 'user' %}{{ ' [INST] ' + m.content + ` +
		`' [/INST]' }}{% elif m.role == 'assistant' %}{{ ' ' + m.content + eos_token }}{% else %}` +
		`{{ raise_exception('no system message') }}{% endif %}{% endfor %}`,
	"plain": `{{ bos_token }}{% for m in messages %}{{ m.role | capitalize + ': ' + m.content + '\n\n' }}{% endfor %}` +
		`{% if add_generation_prompt %}{{ 'Assistant:' }}{% endif %}`,
}

// TemplateNames lists the templates that Named knows, sorted.
func TemplateNames() []string { return slices.Sorted(maps.Keys(named)) }

// Named returns the source of a template of a usual format.
func Named(name string) (source string, ok bool) {
	source, ok = named[name]
	return source, ok
}
